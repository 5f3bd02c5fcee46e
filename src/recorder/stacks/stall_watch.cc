#include "recorder/stacks/stall_watch.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "platform/clock.h"
#include "platform/probe.h"

namespace edgewise {

std::string StallLine(const Stall& stall, uint32_t thread, uint64_t unsaid) {
  std::string line = "edgewise: the event loop ";
  if (thread != 0) absl::StrAppend(&line, "of worker thread ", thread, " ");
  absl::StrAppendFormat(
      &line, "is busy for %.2f s: ", static_cast<double>(stall.ns) / 1e9);
  const StallPlace& place = stall.place;
  if (!place.route.empty()) absl::StrAppend(&line, place.route, ", ");
  if (!stall.seen) {
    absl::StrAppend(&line, "in native code that has not come back");
  } else if (place.script.empty()) {
    absl::StrAppend(&line, "no JavaScript function runs");
  } else {
    absl::StrAppend(
        &line, "in ",
        place.function.empty() ? "a function without a name" : place.function,
        " (", place.script, ":", place.line, ":", place.column, ")");
  }
  if (unsaid > 0) absl::StrAppend(&line, "; ", unsaid, " more since the last");
  line += '\n';
  return line;
}

StallWatch::StallWatch(int64_t least_ns, uint32_t thread,
                       std::function<void(const std::string&)> write,
                       std::function<void(const Stall&)> ended)
    : least_ns_(least_ns),
      least_ticks_(NsToTicks(static_cast<double>(least_ns))),
      thread_(thread),
      write_(std::move(write)),
      ended_(std::move(ended)) {}

bool StallWatch::Look(uint64_t since, uint64_t now) {
  if (since != since_) {
    if (stalls_) End(now);
    since_ = since;
    stalls_ = said_ = false;
  }
  if (since == 0 || since == left_ || now < since ||
      now - since < least_ticks_) {
    return false;
  }
  if (!stalls_ && EDGEWISE_PROBED(stall)) [[unlikely]]
    EDGEWISE_PROBE(stall, int64_t{thread_}, TickNs(now - since));
  stalls_ = true;
  wanted_.store(true, std::memory_order_relaxed);
  const bool seen = StallUntil(now).seen;
  const uint64_t patience =
      NsToTicks(static_cast<double>(least_ns_ + kPatienceNs));
  if (!said_ && (seen || now - since > patience)) Say(now);
  return !seen;
}

void StallWatch::Say(uint64_t now) {
  said_ = true;
  if (last_said_ != 0 && TickNs(now - last_said_) < kPauseNs) {
    ++unsaid_;
    return;
  }
  last_said_ = now;
  write_(StallLine(StallUntil(now), thread_, std::exchange(unsaid_, 0)));
}

void StallWatch::End(uint64_t now) {
  if (!said_) Say(now);
  wanted_.store(false, std::memory_order_relaxed);
  ended_(StallUntil(now));
}

Stall StallWatch::StallUntil(uint64_t now) {
  Stall stall;
  stall.ns = TickNs(now - since_);
  const std::lock_guard lock(mutex_);
  stall.seen = told_since_ == since_;
  if (stall.seen) stall.place = place_;
  return stall;
}

void StallWatch::Tell(uint64_t since, StallPlace place) {
  const std::lock_guard lock(mutex_);
  if (told_since_ == since) return;
  told_since_ = since;
  place_ = std::move(place);
}

}  // namespace edgewise
