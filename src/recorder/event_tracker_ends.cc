// The part of the event tracker that tells when requests end whose last bytes
// leave before, or after, JavaScript has said so.

#include <algorithm>
#include <bit>
#include <utility>

#include "recorder/event_tracker.h"

namespace edgewise {

void EventTracker::NoteWrite(int fd) {
  const bool timed = open_.ready_kind != ReadyKind::kNone;
  const bool seen = open_.ready != 0;
  const bool observed = seen || poll_waited_;
  const bool main = open_.type == EventType::kMain;
  writes_.Note(fd,
               {.ticks = written_.ticks,
                .slice_begin = open_.entered ? slice_begin_ : open_.begin,
                .ready = timed || seen ? open_.ready
                         : main        ? 0
                                       : poll_ticks_,
                .async_id = written_.execution_id & kIdMask,
                // Without a boundary and without JavaScript: what waited for
                // room has it.
                .type = open_.type == EventType::kUnknown ? EventType::kWrite
                                                          : open_.type,
                .ready_kind = timed      ? open_.ready_kind
                              : main     ? ReadyKind::kNone
                              : observed ? ReadyKind::kObserved
                                         : ReadyKind::kUpperBound,
                .flags = poll_waited_ ? kFlagLoopSlept : 0});
}

void EventTracker::WantLatencies() {
  words_->ended_request = SharedWords::kMustCall;
  latencies_wanted_ = true;
}

void EventTracker::PushEnded() {
  const uint32_t request =
      std::exchange(words_->ended_request, SharedWords::kNoRequest);
  PushEnd(written_, request, words_->ended_route, words_->ended_status,
          Outcome::kFinished);
}

// `left`: when its last byte had left, ticks; 0: at `at`.
void EventTracker::PushEnd(const Moment& at, uint32_t request, uint32_t route,
                           uint32_t status, Outcome outcome, uint64_t left) {
  if (EDGEWISE_PROBED(request__done)) [[unlikely]] {
    const uint64_t latency =
        recent_requests_.LatencyOf(request, left != 0 ? left : at.ticks);
    ProbeRequestDone(request, recorder_->StringOf(route), status, latency,
                     outcome);
  }
  recorder_->PushInner([&](Record& record) {
    record.kind = RecordKind::kRequestEnd;
    record.type = static_cast<uint8_t>(outcome);
    record.duration = std::bit_cast<float>(route);
    record.ready_before = std::bit_cast<float>(status);
    PutRequest(record, request, at);
  });
}

// JavaScript calls at once for each request while somebody listens.
void EventTracker::NoteProbed(bool probed) {
  if (words_->HasEnded()) return;
  probed_ = probed;
  words_->ended_request = probed || latencies_wanted_ ? SharedWords::kMustCall
                                                      : SharedWords::kNoRequest;
}

uint64_t EventTracker::RequestEndWritten(uint32_t request, uint32_t route,
                                         uint32_t status, int fd) {
  const WriteMoment* const write = writes_.Of(fd);
  if (write == nullptr) {
    return RequestEnd(request, route, status, Outcome::kFinished);
  }
  // A patched machine may have noted what came after it.
  const bool just_now =
      vm_ == nullptr && words_->written != 0 && written_.ticks == write->ticks;
  PushLeft();
  if (!just_now) PushWritten(*write);
  PushEnd(just_now ? written_ : Now(), request, route, status,
          Outcome::kFinished, write->ticks);
  return recent_requests_.LatencyOf(request, write->ticks);
}

void EventTracker::PushWritten(const WriteMoment& write) {
  recorder_->PushInner([&](Record& record) {
    record.kind = RecordKind::kWritten;
    record.ticks = write.ticks;
    const uint64_t begin =
        write.slice_begin != 0 ? write.slice_begin : write.ticks;
    record.duration = TicksBetween(begin, write.ticks);
    if (write.ready_kind != ReadyKind::kNone && write.ready < begin) {
      record.ready_before = TicksBetween(write.ready, begin);
    }
    record.type = static_cast<uint8_t>(write.type);
    record.aux =
        EventAux(write.ready_kind, kNoFd, static_cast<uint32_t>(write.flags));
    SetIds(record, write.async_id, last_counter_ & kIdMask);
  });
}

uint64_t EventTracker::RequestEndAwaited(uint32_t request, uint32_t route,
                                         uint32_t status, int fd) {
  if (awaited_.Add({request, route, status, fd})) return 0;
  return RequestEnd(request, route, status, Outcome::kFinished);
}

void EventTracker::RequestEndLost(uint32_t request) {
  const auto end = awaited_.Take(
      [request](const auto& awaited) { return awaited.request == request; });
  if (!end.has_value()) return;  // It has left.
  RequestEnd(end->request, end->route, end->status, Outcome::kAborted);
}

// The write may be all that happens, without JavaScript: an event of its own.
uint64_t EventTracker::EndAwaited(int fd) {
  const auto of_fd = [fd](const auto& awaited) { return awaited.fd == fd; };
  auto end = awaited_.Take(of_fd);
  if (!end.has_value()) return 0;
  const bool native = !open_.entered;
  const OpenEvent handled = open_;
  if (native) Enter(ids_.execution());
  PushLeft();
  uint64_t longest = 0;
  for (; end.has_value(); end = awaited_.Take(of_fd)) {
    PushEnd(written_, end->request, end->route, end->status,
            Outcome::kFinished);
    longest = std::max(
        longest, recent_requests_.LatencyOf(end->request, written_.ticks));
  }
  if (native) {
    Close(written_.ticks);
    open_ = handled;
    open_.begin = written_.ticks;
  }
  return longest;
}

uint64_t EventTracker::Wrote(int fd, uint64_t bytes) {
  if (words_->HasEnded()) PushLeft();
  written_ = Now();
  words_->written += static_cast<uint32_t>(bytes);
  NoteWrite(fd);
  return awaited_.empty() ? 0 : EndAwaited(fd);
}

}  // namespace edgewise
