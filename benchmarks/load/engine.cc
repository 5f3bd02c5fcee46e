#include "load/engine.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "load/clock.h"

namespace edgewise::load {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kMsNs = 1'000'000;
constexpr size_t kKernelMaskBytes = 8;  // of signals, as the kernel has it
constexpr int kEventsPerWait = 256;
constexpr uint64_t kWaitsPerSignalCheck = 256;
constexpr int kMaxBurst = 64;
// After a failure a closed-loop user waits, lest a dead server be hammered.
constexpr int64_t kPauseNs = kSecondNs / 10;

uint64_t Tag(uint32_t slot, uint32_t generation) {
  return uint64_t{generation} << 32 | slot;
}

}  // namespace

Engine::Engine(const EngineOptions& options, const Mix& mix)
    : options_(options),
      mix_(mix),
      arrivals_(options.closed ? 1 : options.rate_per_s,
                options.seed ^ 0x61727269766573),
      events_(kEventsPerWait),
      which_server_(options.seed ^ 0x736572766572),
      reuse_(options.seed ^ 0x7265757365) {
  for (const ServerAddress& server : options.servers) {
    servers_.push_back(
        {.source = RequestSource(mix, server.host, options.path_prefix,
                                 options.seed)});
  }
  sigemptyset(&wait_mask_);
}

Engine::~Engine() {
  if (epoll_fd_ >= 0) close(epoll_fd_);
}

absl::StatusOr<RunResult> Engine::Run() {
  epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd_ < 0) return absl::ErrnoToStatus(errno, "epoll_create1");
  result_.realtime_offset_ns = RealtimeOffsetNs();
  result_.start_ns = NowNs();
  result_.measured_from_ns = result_.start_ns + options_.warmup_ns;
  result_.measured_to_ns = result_.measured_from_ns + options_.duration_ns;
  if (options_.progress_ns > 0) {
    next_progress_ns_ = result_.start_ns + options_.progress_ns;
  }
  if (options_.closed) {
    resume_ns_.assign(options_.connections, result_.start_ns);
  } else {
    next_arrival_ns_ = result_.start_ns + arrivals_.NextNs();
  }
  for (int64_t now_ns = NowNs(); !Done(now_ns); now_ns = NowNs()) {
    if (options_.stop != nullptr && *options_.stop != 0) {
      AbortAll(*options_.stop);
      break;
    }
    StartDue();
    now_ns = NowNs();
    ExpireDeadlines(now_ns);
    if (now_ns >= next_progress_ns_) PrintProgress(now_ns);
    if (auto status = Wait(now_ns); !status.ok()) return status;
  }
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) CloseSlot(slot);
  return std::move(result_);
}

bool Engine::Done(int64_t now_ns) const {
  return now_ns >= result_.measured_to_ns && in_flight_ == 0 &&
         (options_.closed || next_arrival_ns_ >= result_.measured_to_ns);
}

void Engine::StartDue() {
  if (!options_.closed) {
    StartDueOpen();
    return;
  }
  const int64_t now_ns = NowNs();
  while (!resume_ns_.empty() && resume_ns_.front() <= now_ns) {
    resume_ns_.pop_front();
    if (now_ns < result_.measured_to_ns) Dispatch(now_ns);
  }
}

void Engine::StartDueOpen() {
  // Bounded: when arrivals come faster than they can be sent, responses must
  // still be read.
  for (int i = 0;
       i < kMaxBurst && MayStart() &&
       next_arrival_ns_ < result_.measured_to_ns && next_arrival_ns_ <= NowNs();
       ++i) {
    Dispatch(next_arrival_ns_);
    next_arrival_ns_ = result_.start_ns + arrivals_.NextNs();
  }
}

// Whether the next arrival of an open loop may have a connection.
bool Engine::MayStart() const {
  return options_.connections == 0 ||
         in_flight_ < static_cast<uint64_t>(options_.connections);
}

uint32_t Engine::DrawServer() {
  return servers_.size() == 1
             ? 0
             : static_cast<uint32_t>(which_server_.Below(servers_.size()));
}

// The sample of an arrival, whose server and request are drawn.
Sample& Engine::Arrive(int64_t intended_ns) {
  Sample& sample = result_.samples.emplace_back();
  sample.server = DrawServer();
  sample.intended_ns = intended_ns;
  sample.warmup = intended_ns < result_.measured_from_ns;
  servers_[sample.server].source.Next(&request_);
  sample.spec = request_.spec;
  return sample;
}

void Engine::Dispatch(int64_t intended_ns) {
  Sample& sample = Arrive(intended_ns);
  const RequestSpec& spec = mix_.requests[request_.spec];
  // All connections were busy until the last exchange ended.
  const bool waited =
      options_.connections > 0 && !options_.closed &&
      in_flight_ + 1 == static_cast<uint64_t>(options_.connections);
  sample.due_ns = waited ? std::max(intended_ns, freed_ns_) : intended_ns;
  sample.dispatched_ns = NowNs();
  const uint32_t slot = TakeConnection(sample.server, sample.dispatched_ns);
  ++in_flight_;
  deadlines_.push_back({sample.dispatched_ns + options_.timeout_ns,
                        {slot, slots_[slot].generation},
                        &sample});
  OnOutcome(slot, slots_[slot].connection.Start(&request_, spec.IsHead(),
                                                spec.NeedsBody(), &sample));
}

uint32_t Engine::TakeConnection(uint32_t server, int64_t now_ns) {
  std::vector<Handle>& idle = servers_[server].idle;
  while (!idle.empty()) {
    if (options_.reuse_random) {
      std::swap(idle[reuse_.Below(idle.size())], idle.back());
    }
    const Handle handle = idle.back();
    idle.pop_back();
    const Slot& slot = slots_[handle.slot];
    if (slot.generation != handle.generation) continue;
    if (slot.connection.Fresh(now_ns)) return handle.slot;
    CloseSlot(handle.slot);
  }
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  slot.used = true;
  const ServerAddress& address = options_.servers[server];
  slot.connection.Open(epoll_fd_, Tag(index, slot.generation),
                       reinterpret_cast<const sockaddr*>(&address.address),
                       address.bytes, options_.stamps);
  ++result_.connections_opened;
  result_.connections_peak = std::max<uint64_t>(
      result_.connections_peak, slots_.size() - free_slots_.size());
  return index;
}

void Engine::CloseSlot(uint32_t slot) {
  if (!slots_[slot].used) return;
  slots_[slot].connection.Close();
  slots_[slot].used = false;
  ++slots_[slot].generation;
  free_slots_.push_back(slot);
}

void Engine::OnOutcome(uint32_t slot, Connection::Outcome outcome) {
  Connection& connection = slots_[slot].connection;
  switch (outcome) {
    case Connection::Outcome::kPending:
      return;
    case Connection::Outcome::kGone:
      CloseSlot(slot);
      return;
    case Connection::Outcome::kFailed:
      if (connection.busy()) {
        EndExchange(slot, connection.failure(), connection.message());
      } else {
        CloseSlot(slot);
      }
      return;
    case Connection::Outcome::kResponse:
      EndExchange(slot, Failure::kNone, "");
      return;
  }
}

void Engine::EndExchange(uint32_t slot, Failure failure,
                         const std::string& message) {
  Connection& connection = slots_[slot].connection;
  Sample& sample = *connection.sample();
  sample.end_ns = NowNs();
  freed_ns_ = sample.end_ns;
  if (failure == Failure::kNone && connection.arrived_realtime_ns() != 0) {
    sample.end_ns =
        connection.arrived_realtime_ns() - result_.realtime_offset_ns;
  }
  sample.failure = failure;
  --in_flight_;
  ++ended_;
  if (failure == Failure::kNone) {
    sample.status = static_cast<int16_t>(connection.response().status());
    sample.unexpected = !servers_[sample.server].source.Accept(
        connection.request(), connection.response());
  } else {
    ++failed_;
    if (result_.first_error.empty()) {
      result_.first_error =
          absl::StrCat("request ", ended_, " (",
                       mix_.requests[sample.spec].name, "): ", message);
    }
  }
  const bool reusable =
      connection.Finish(sample.end_ns) && failure == Failure::kNone;
  if (reusable) {
    servers_[sample.server].idle.push_back({slot, slots_[slot].generation});
  } else {
    CloseSlot(slot);
  }
  if (!options_.closed) return;
  if (failure == Failure::kNone) {
    resume_ns_.push_front(sample.end_ns);
  } else {
    resume_ns_.push_back(sample.end_ns + kPauseNs);
  }
}

void Engine::ExpireDeadlines(int64_t now_ns) {
  while (!deadlines_.empty()) {
    const Deadline& deadline = deadlines_.front();
    const Slot& slot = slots_[deadline.handle.slot];
    const bool waiting = slot.generation == deadline.handle.generation &&
                         slot.connection.sample() == deadline.sample;
    if (waiting && deadline.at_ns > now_ns) return;
    const uint32_t index = deadline.handle.slot;
    deadlines_.pop_front();
    if (!waiting) continue;
    EndExchange(index, Failure::kTimeout,
                absl::StrCat("no complete response within ",
                             options_.timeout_ns / 1'000'000, " ms"));
  }
}

void Engine::AbortAll(int signal_number) {
  result_.interrupted_by = signal_number;
  result_.measured_to_ns = std::min(result_.measured_to_ns, NowNs());
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].connection.busy()) {
      EndExchange(slot, Failure::kAborted, "the run was interrupted");
    }
  }
  if (!options_.closed) AbortWaiting();
}

// The arrivals that have been, and that no connection was free for.
void Engine::AbortWaiting() {
  const int64_t end_ns = result_.measured_to_ns;
  for (; next_arrival_ns_ < end_ns;
       next_arrival_ns_ = result_.start_ns + arrivals_.NextNs()) {
    Sample& sample = Arrive(next_arrival_ns_);
    sample.due_ns = sample.dispatched_ns = sample.end_ns = end_ns;
    sample.failure = Failure::kAborted;
  }
}

absl::Status Engine::Wait(int64_t now_ns) {
  if (Done(now_ns)) return absl::OkStatus();  // nothing would end the wait
  int64_t until_ns = next_progress_ns_;
  if (!deadlines_.empty()) {
    until_ns = std::min(until_ns, deadlines_.front().at_ns);
  }
  if (!resume_ns_.empty()) until_ns = std::min(until_ns, resume_ns_.front());
  if (now_ns < result_.measured_to_ns) {
    until_ns = std::min(until_ns, result_.measured_to_ns);
  }
  if (!options_.closed && MayStart() &&
      next_arrival_ns_ < result_.measured_to_ns) {
    until_ns = std::min(until_ns, next_arrival_ns_);
  }
  int64_t wait_ns = std::max<int64_t>(0, until_ns - now_ns);
  if (options_.spin) wait_ns = 0;
  if (++waits_ % kWaitsPerSignalCheck == 0) LetSignalsIn();
  const int count = WaitForEvents(wait_ns);
  if (count < 0 && errno == EINTR) return absl::OkStatus();
  if (count < 0) return absl::ErrnoToStatus(errno, "epoll_pwait");
  for (int i = 0; i < count; ++i) {
    const auto slot = static_cast<uint32_t>(events_[i].data.u64);
    const auto generation = static_cast<uint32_t>(events_[i].data.u64 >> 32);
    if (slots_[slot].generation != generation) continue;
    OnOutcome(slot, slots_[slot].connection.OnEvents(events_[i].events));
    StartDue();  // a long batch must not delay what is due meanwhile
  }
  return absl::OkStatus();
}

// As epoll_pwait2, which C libraries have only for a few years, and kernels
// since Linux 5.11: on an older one what is left of a millisecond is polled.
int Engine::WaitForEvents(int64_t wait_ns) {
  const timespec timeout{static_cast<time_t>(wait_ns / kSecondNs),
                         static_cast<long>(wait_ns % kSecondNs)};
  const auto count = static_cast<int>(
      syscall(SYS_epoll_pwait2, epoll_fd_, events_.data(), kEventsPerWait,
              &timeout, &wait_mask_, kKernelMaskBytes));
  if (count >= 0 || errno != ENOSYS) return count;
  return epoll_pwait(epoll_fd_, events_.data(), kEventsPerWait,
                     static_cast<int>(wait_ns / kMsNs), &wait_mask_);
}

// A wait that finds something, or does not sleep, lets no signal in.
void Engine::LetSignalsIn() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, &wait_mask_, &blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

void Engine::PrintProgress(int64_t now_ns) {
  next_progress_ns_ += options_.progress_ns;
  const int64_t total_ns = options_.warmup_ns + options_.duration_ns;
  std::fprintf(
      stderr, "load: %2lld/%lld s  sent %zu  answered %llu  errors %llu\n",
      static_cast<long long>((now_ns - result_.start_ns) / kSecondNs),
      static_cast<long long>(total_ns / kSecondNs), result_.samples.size(),
      static_cast<unsigned long long>(ended_ - failed_),
      static_cast<unsigned long long>(failed_));
}

}  // namespace edgewise::load
