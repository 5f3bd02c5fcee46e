#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace edgewise {

// Where a thread was in an event that ran for too long.
struct StallPlace {
  std::string function;  // empty: it has no name
  std::string script;    // empty: no JavaScript was seen
  uint32_t line = 0;     // from 1; 0: unknown
  uint32_t column = 0;
  std::string route;  // of the request that began in it; empty: none did
};

struct Stall {
  int64_t ns = 0;  // for how long the event ran
  bool seen = false;
  StallPlace place;  // if it was seen
};

// Follows the events of one thread that run for too long: says so on stderr
// while one lasts, a line every kPauseNs at most, and hands it on when it has
// ended. A helper thread looks; the thread itself tells where it is.
class StallWatch {
 public:
  static constexpr int64_t kPauseNs = 10'000'000'000;
  // Native code that does not answer for so long is told as that.
  static constexpr int64_t kPatienceNs = 50'000'000;

  // `thread`: Node's number of it. `write` puts a line out; `ended` gets what
  // is over. Both are the helper's.
  StallWatch(int64_t least_ns, uint32_t thread,
             std::function<void(const std::string&)> write,
             std::function<void(const Stall&)> ended);

  // Before the helper looks: an event that is none, however long it runs, as
  // the main script's.
  void Leave(uint64_t since) { left_ = since; }

  // Helper: what it sees now. `since`: when the running event began, ticks; 0:
  // none runs. True: it is a stall, whose place is not known yet.
  bool Look(uint64_t since, uint64_t now);

  // The watched thread: whether a place is wanted; and it, of the event that
  // began at `since`.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }
  void Tell(uint64_t since, StallPlace place);

  int64_t least_ns() const { return least_ns_; }

 private:
  void Say(uint64_t now);
  void End(uint64_t now);
  Stall StallUntil(uint64_t now);

  const int64_t least_ns_;
  const uint64_t least_ticks_;
  const uint32_t thread_;
  const std::function<void(const std::string&)> write_;
  const std::function<void(const Stall&)> ended_;

  // Helper's.
  uint64_t left_ = 0;
  uint64_t since_ = 0;
  bool stalls_ = false;  // the event that began then does
  bool said_ = false;    // or there is no need to
  uint64_t last_said_ = 0;
  uint64_t unsaid_ = 0;

  std::atomic<bool> wanted_{false};
  std::mutex mutex_;
  uint64_t told_since_ = 0;  // under mutex_, as is `place_`
  StallPlace place_;
};

// As a person reads it: "edgewise: the event loop is busy for 1.2 s: ...".
std::string StallLine(const Stall& stall, uint32_t thread, uint64_t unsaid);

}  // namespace edgewise
