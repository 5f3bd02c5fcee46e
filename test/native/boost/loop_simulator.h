#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "boost/policy.h"
#include "test/native/boost/workload.h"

namespace edgewise {

struct SimulatorConfig {
  Frequencies frequencies{2'600'000, 3'300'000, 4'000'000};  // VEE'19, 7.1
  int64_t transition_ns = 50'000;
  // While the loop is busy, kQueueLength after an arrival, at most that often.
  int64_t look_every_ns = 50'000;
  // Part of the run's begin whose latencies and time do not count.
  double warm_up = 0.1;
};

struct SimulatorResult {
  std::vector<int64_t> latencies_ns;  // ascending
  std::array<int64_t, kLevels> residency_ns{};
  uint64_t boosts = 0;
  uint64_t deadlines = 0;
  uint64_t signals = 0;

  double PercentileMs(double percentile) const {
    const auto rank = static_cast<size_t>(
        percentile / 100 * static_cast<double>(latencies_ns.size()));
    return static_cast<double>(
               latencies_ns[std::min(rank, latencies_ns.size() - 1)]) /
           1e6;
  }
  // Part of the time, idle time included, above the low level.
  double Boosted() const {
    const auto all = static_cast<double>(residency_ns[0] + residency_ns[1] +
                                         residency_ns[2]);
    return static_cast<double>(residency_ns[1] + residency_ns[2]) / all;
  }
};

// One event loop as libuv runs it (a wait brings a batch; what comes meanwhile
// is the next one's), under the speed that a policy asks for and gets
// transition_ns later. The policy is told what the hooks tell: batches, events,
// collections, requests, looks at the queue and its own deadlines.
class LoopSimulator {
 public:
  LoopSimulator(const Workload& workload, const SimulatorConfig& config,
                Policy* policy)
      : workload_(workload), config_(config), policy_(policy) {
    for (uint32_t i = 0; i < workload.requests.size(); ++i) {
      coming_.push({workload.requests[i].arrival_ns, i, 0});
    }
    counts_from_ns_ = static_cast<int64_t>(
        config.warm_up *
        static_cast<double>(workload.requests.back().arrival_ns));
  }

  SimulatorResult Run() {
    while (!coming_.empty() || !ready_.empty()) {
      Tell({.kind = SignalKind::kLoopIdle});
      came_ns_ = 0;
      while (ready_.empty()) {
        Pass(kNever);
        came_ns_ = now_ns_;
      }
      const auto batch = static_cast<uint32_t>(ready_.size());
      busy_ = true;
      Tell({.kind = SignalKind::kLoopBusy,
            .value = batch,
            .arrival_ns = came_ns_});
      for (uint32_t i = 0; i < batch; ++i) RunEvent();
      busy_ = false;
      unseen_ = false;
    }
    std::sort(result_.latencies_ns.begin(), result_.latencies_ns.end());
    return std::move(result_);
  }

 private:
  // What JavaScript does before and after a request's own work.
  static constexpr double kAroundNs = 2'000;

  struct Job {
    int64_t ready_ns;
    uint32_t request;  // index
    uint32_t event;
    bool operator>(const Job& other) const { return ready_ns > other.ready_ns; }
  };

  void RunEvent() {
    const Job job = ready_.front();
    ready_.pop_front();
    Tell({.kind = SignalKind::kEventBegin});
    if (job.event == 0 || !workload_.one_connection) return RunJob(job);
    // One read brings all answers that have come.
    std::vector<Job> answers;
    std::swap(answers, answers_);
    for (const Job& answer : answers) RunJob(answer);
  }

  void RunJob(const Job& job) {
    const SimulatedRequest& request = workload_.requests[job.request];
    const uint32_t number = job.request + 1;
    Work(kAroundNs);
    if (job.event == 0) {
      Tell({.kind = SignalKind::kRequestBegin,
            .route = request.route,
            .request = number,
            .arrival_ns = came_ns_});
    }
    Mutate(static_cast<double>(request.events_ns[job.event]));
    if (job.event + 1 < request.events_ns.size()) {
      coming_.push(
          {now_ns_ + request.io_ns[job.event], job.request, job.event + 1});
    } else {
      Tell({.kind = SignalKind::kRequestEnd, .request = number});
      if (request.arrival_ns >= counts_from_ns_) {
        result_.latencies_ns.push_back(now_ns_ - request.arrival_ns);
      }
    }
    Work(kAroundNs);
  }

  // Work of the program, collections where they fall.
  void Mutate(double work_ns) {
    while (next_gc_ < workload_.gcs.size()) {
      const SimulatedGc& gc = workload_.gcs[next_gc_];
      const double until_ns = static_cast<double>(gc.at_work_ns) - mutated_ns_;
      if (until_ns > work_ns) break;
      ++next_gc_;
      Work(until_ns);
      mutated_ns_ += until_ns;
      work_ns -= until_ns;
      const auto kind = static_cast<uint32_t>(gc.kind);
      Tell({.kind = SignalKind::kGcBegin, .value = kind});
      Work(static_cast<double>(gc.work_ns));
      Tell({.kind = SignalKind::kGcEnd, .value = kind});
    }
    Work(work_ns);
    mutated_ns_ += work_ns;
  }

  void Work(double work_ns) {
    while (work_ns > 0) {
      const double speed = Speed();
      const int64_t end_ns =
          now_ns_ + std::max<int64_t>(std::llround(work_ns / speed), 1);
      const int64_t began_ns = now_ns_;
      Pass(end_ns);
      if (now_ns_ == end_ns) return;
      work_ns -= static_cast<double>(now_ns_ - began_ns) * speed;
    }
  }

  double Speed() const {
    return static_cast<double>(
               config_.frequencies[static_cast<size_t>(held_)]) /
           config_.frequencies[0];
  }

  // Lets time go by until the next thing happens, at most to `end_ns`.
  void Pass(int64_t end_ns) {
    int64_t next_ns = std::min(end_ns, policy_->next_deadline_ns());
    if (!coming_.empty()) next_ns = std::min(next_ns, coming_.top().ready_ns);
    if (held_ != asked_) next_ns = std::min(next_ns, change_ns_);
    if (unseen_) next_ns = std::min(next_ns, look_ns_);
    next_ns = std::max(next_ns, now_ns_);
    if (next_ns >= counts_from_ns_) {
      result_.residency_ns[static_cast<size_t>(held_)] +=
          next_ns - std::max(now_ns_, counts_from_ns_);
    }
    now_ns_ = next_ns;
    if (held_ != asked_ && now_ns_ >= change_ns_) held_ = asked_;
    Arrive();
    if (unseen_ && busy_ && now_ns_ >= look_ns_) {
      unseen_ = false;
      look_ns_ = now_ns_ + config_.look_every_ns;
      Tell({.kind = SignalKind::kQueueLength,
            .value = static_cast<uint32_t>(ready_.size())});
    }
    if (policy_->next_deadline_ns() <= now_ns_) {
      ++result_.deadlines;
      Tell({.kind = SignalKind::kDeadline});
    }
  }

  void Arrive() {
    while (!coming_.empty() && coming_.top().ready_ns <= now_ns_) {
      const Job job = coming_.top();
      coming_.pop();
      if (job.event > 0 && workload_.one_connection) {
        answers_.push_back(job);
        if (answers_.size() > 1) continue;  // the connection is ready already
      }
      ready_.push_back(job);
      if (busy_ && config_.look_every_ns > 0 && !unseen_) {
        unseen_ = true;
        look_ns_ = std::max(look_ns_, now_ns_);
      }
    }
  }

  void Tell(Signal signal) {
    signal.now_ns = now_ns_;
    ++result_.signals;
    policy_->On(signal);
    const Level wanted = policy_->want().level;
    if (wanted == asked_) return;
    if (wanted > asked_) ++result_.boosts;
    asked_ = wanted;
    change_ns_ = now_ns_ + config_.transition_ns;
    if (config_.transition_ns == 0) held_ = asked_;
  }

  const Workload& workload_;
  const SimulatorConfig config_;
  Policy* const policy_;
  std::priority_queue<Job, std::vector<Job>, std::greater<>> coming_;
  std::deque<Job> ready_;
  std::vector<Job> answers_;  // that have come on the one connection
  int64_t came_ns_ = 0;  // when the loop's wait got the batch; 0: without one
  SimulatorResult result_;
  size_t next_gc_ = 0;
  double mutated_ns_ = 0;
  int64_t now_ns_ = 0;
  int64_t counts_from_ns_ = 0;
  int64_t look_ns_ = 0;
  int64_t change_ns_ = 0;
  bool busy_ = false;
  bool unseen_ = false;  // something came since the last look
  Level asked_ = Level::kLow;
  Level held_ = Level::kLow;
};

// P(f) of src/boost/energy.h over a residency, relative to all at low.
inline double EnergyOf(const SimulatorResult& result,
                       const Frequencies& frequencies) {
  constexpr double kStatic = 0.352;
  double energy = 0;
  double all = 0;
  for (size_t i = 0; i < kLevels; ++i) {
    const double ratio = static_cast<double>(frequencies[i]) / frequencies[0];
    const auto time = static_cast<double>(result.residency_ns[i]);
    energy += time * (kStatic + (1 - kStatic) * ratio * ratio * ratio);
    all += time;
  }
  return energy / all;
}

}  // namespace edgewise
