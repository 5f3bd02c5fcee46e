#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "boost/policy.h"

namespace edgewise {

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;

inline std::unique_ptr<Policy> MakeOrDie(std::string_view names,
                                         const PolicyConfig& config = {}) {
  auto policy = MakePolicy(names, config);
  EXPECT_TRUE(policy.ok()) << policy.status();
  return *std::move(policy);
}

inline PolicyConfig PaperConfig() {
  PolicyConfig config;
  config.frequencies = {2'600'000, 3'300'000, 4'000'000};
  return config;
}

// Plays a loop to a policy, on a clock of its own: as time passes, deadlines
// are delivered when they are due, as the controller does.
class Player {
 public:
  explicit Player(std::unique_ptr<Policy> policy)
      : policy_(std::move(policy)) {}

  Policy& policy() { return *policy_; }
  int64_t now_ns() const { return now_ns_; }
  int deadlines() const { return deadlines_; }
  Level level() const { return policy_->want().level; }
  Reason reason() const { return policy_->want().reason; }

  void Pass(int64_t ns) {
    const int64_t until_ns = now_ns_ + ns;
    while (policy_->next_deadline_ns() <= until_ns) {
      now_ns_ = std::max(now_ns_, policy_->next_deadline_ns());
      ++deadlines_;
      Tell({.kind = SignalKind::kDeadline});
      // The same moment must not be asked for again.
      ASSERT_GT(policy_->next_deadline_ns(), now_ns_);
    }
    now_ns_ = until_ns;
  }
  void Tell(Signal signal) {
    signal.now_ns = now_ns_;
    policy_->On(signal);
  }
  // The loop has waited for them if time has passed since it was idle.
  void Busy(uint32_t ready) {
    Tell({.kind = SignalKind::kLoopBusy,
          .value = ready,
          .arrival_ns = now_ns_ > idle_ns_ ? now_ns_ : 0});
  }
  void Idle() {
    idle_ns_ = now_ns_;
    Tell({.kind = SignalKind::kLoopIdle});
  }
  // What a policy has patience for changes nothing before that has passed.
  void Event() {
    const bool low = level() == Level::kLow;
    const int64_t deadline_ns = policy_->next_deadline_ns();
    Tell({.kind = SignalKind::kEventBegin});
    const int64_t patience_ns = policy_->patience_ns();
    if (!low || patience_ns == 0) return;
    EXPECT_EQ(level(), Level::kLow);
    const int64_t next_ns = policy_->next_deadline_ns();
    if (next_ns >= deadline_ns) return;
    ASSERT_NE(patience_ns, kNever);
    EXPECT_GE(next_ns, now_ns_ + patience_ns);
  }
  void Look(uint32_t ready) {
    Tell({.kind = SignalKind::kQueueLength, .value = ready});
  }
  void GcBegin(GcKind kind = GcKind::kScavenge) {
    Tell({.kind = SignalKind::kGcBegin, .value = static_cast<uint32_t>(kind)});
  }
  void GcEnd(GcKind kind = GcKind::kScavenge) {
    Tell({.kind = SignalKind::kGcEnd, .value = static_cast<uint32_t>(kind)});
  }
  void Request(uint32_t number, uint32_t route, int64_t age_ns = 0) {
    Tell({.kind = SignalKind::kRequestBegin,
          .route = route,
          .request = number,
          .arrival_ns = now_ns_ - age_ns});
  }
  void RequestEnd(uint32_t number) {
    Tell({.kind = SignalKind::kRequestEnd, .request = number});
  }

  // A batch of events, all as long, one after the other; the loop waits after.
  void Batch(uint32_t events, int64_t each_ns) {
    Busy(events);
    for (uint32_t i = 0; i < events; ++i) {
      Event();
      Pass(each_ns);
    }
    Idle();
    Pass(kMs);
  }
  // Requests that come alone, begin and end in one event.
  void Requests(uint32_t count, uint32_t route, int64_t each_ns) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t number = next_request_++;
      Busy(1);
      Event();
      Request(number, route);
      Pass(each_ns);
      RequestEnd(number);
      Idle();
      Pass(kMs);
    }
  }

 private:
  std::unique_ptr<Policy> policy_;
  int64_t now_ns_ = 1'000 * kMs;
  int64_t idle_ns_ = 0;
  int deadlines_ = 0;
  uint32_t next_request_ = 1'000'000;
};

}  // namespace edgewise
