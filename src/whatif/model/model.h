#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/record.h"

namespace edgewise {

// What recorded requests have asked of the loop, of the pool and of others: a
// queueing network that can be run again. Lengths are ns. Waiting for the loop
// is no part of it: that is what a simulation finds out.

// All that one request ran in one turn of an event, without collections and
// what the thread did not run.
struct Job {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t parent = kNone;  // a number in the request; its first job has none
  uint32_t join = kNone;    // another one that must have ended before it begins
  float issue_ns = 0;       // its parent had run so long when it was asked for
  float io_ns = 0;       // from then to its readiness, without the pool's work
  float io_most_ns = 0;  // >= io_ns: what was read with others' came then
  float work_ns = 0;     // then, once the line has done what was asked before
  float pool_ns = -1;    // so long a thread of the pool worked; -1: none did
  float offload_ns = 0;  // so much of own_ns runs on another thread
  float prefix_ns = 0;  // before it, for all that the turn resumed; -1: another
                        // request's job has it
  float own_ns = 0;
  float end_ns = -1;  // its response ended when it had run so long; -1: it does
                      // not end here
  float idle_ns = -1;    // the loop had slept so long; -1: it had not
  uint32_t station = 0;  // the connection that several requests share; 0: none
  uint32_t line = 0;  // a connection that answers one after the other; 0: none
  uint32_t dependency = 0;  // DependencyTable's, as is `call`
  uint32_t call = 0;

  // What the loop ran for it; and what it waited for, without queues.
  float run_ns() const { return own_ns + std::max(0.F, prefix_ns); }
  float wait_ns() const { return io_ns + work_ns + std::max(0.F, pool_ns); }
};

struct ModelRequest {
  int64_t ready_ns;
  int64_t latency_ns;  // as recorded
  uint32_t route;
  uint32_t first_job;  // its jobs are consecutive, parents first
  uint32_t jobs;
  bool fresh;          // on a new connection: the loop accepts it first
  float delay_ns = 0;  // it reaches the loop so long after it was sent: a retry
  float in_bytes = -1;  // of the request with its headers; -1: not known
};

// What the loop ran for nobody, or what stops it if it runs at that time.
struct OtherWork {
  int64_t ready_ns;
  float ns;
  EventType type;
  bool stall;  // it stops the loop
};

// A collection, or a stretch for which the thread was not given a processor:
// the more the loop runs, the more of them there are.
struct LoopPause {
  float after_ns;  // so much was run since the one before
  float ns;
  GcType type = GcType::kOther;  // of a collection
};

// What a collection of young objects has found and left, bytes.
struct YoungHeap {
  float semi_space = -1;  // that they may take; -1: not known, or another
                          // collection
  float survived = 0;     // and are still young
  float promoted = 0;
};

// How much longer an event takes after the loop has slept: its caches are cold.
struct ColdCaches {
  static constexpr std::array<float, 5> kIdleNs = {2e5, 5e5, 1e6, 2e6, 5e6};
  std::array<float, kIdleNs.size() + 1> extra_ns{};

  static size_t BinOf(float idle_ns);
  // idle_ns < 0: it has not slept.
  float ExtraNs(float idle_ns) const {
    return idle_ns < 0 ? 0 : extra_ns[BinOf(idle_ns)];
  }
};

// One event loop: a thread of a process.
struct LoopModel {
  int64_t begin_ns = 0;  // of what was fitted
  int64_t end_ns = 0;
  std::vector<ModelRequest> requests;  // by readiness
  std::vector<Job> jobs;
  std::vector<OtherWork> others;  // by readiness
  std::vector<LoopPause> collections;
  std::vector<YoungHeap> heaps;  // of each collection
  float lasting = -1;  // share of what is promoted that collections of the
                       // whole heap leave; -1: not known
  std::vector<LoopPause> displaced;  // the thread did not run
  std::vector<float> wakes_ns;  // from readiness to running, the loop asleep
  std::vector<float> pool_wakes_ns;  // likewise, of the pool's work
  std::vector<float> gaps_ns;        // between two events, the loop awake
  float accept_ns = 0;               // of a new connection
  float prefix_ns = 0;               // of what a read resumes, on average
  ColdCaches cold;
  uint32_t pool_threads = 4;
  // Requests that are not here: their graphs are not whole, or there is no
  // room.
  uint64_t left_out = 0;

  double span_ns() const { return static_cast<double>(end_ns - begin_ns); }
};

}  // namespace edgewise
