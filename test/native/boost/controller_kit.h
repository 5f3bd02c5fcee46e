#pragma once

// A controller with an actuator and a policy that do what a test says.

#include <gtest/gtest.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "boost/controller.h"
#include "platform/clock.h"

namespace edgewise {

inline constexpr int64_t kMs = 1'000'000;

inline void SleepMs(int64_t ms) {
  const timespec time{ms / 1000, ms % 1000 * kMs};
  nanosleep(&time, nullptr);
}

// What an actuator was asked for, shared with the test, which outlives it.
struct ActuatorCalls {
  std::mutex mutex;
  std::vector<Level> levels;
  std::vector<std::thread::id> threads;
  bool restored = false;

  size_t count() {
    const std::lock_guard lock(mutex);
    return levels.size();
  }
  Level last() {
    const std::lock_guard lock(mutex);
    return levels.back();
  }
  std::thread::id last_thread() {
    const std::lock_guard lock(mutex);
    return threads.back();
  }
};

class FakeActuator : public Actuator {
 public:
  FakeActuator(ActuatorCalls* asked, int64_t call_ns, int64_t transition_ns)
      : asked_(asked), call_ns_(call_ns), transition_ns_(transition_ns) {}

  std::string_view name() const override { return "fake"; }
  std::string description() const override { return "of a test"; }
  absl::Status Set(Level level) override {
    const std::lock_guard lock(asked_->mutex);
    asked_->levels.push_back(level);
    asked_->threads.push_back(std::this_thread::get_id());
    return fails ? absl::UnavailableError("gone") : absl::OkStatus();
  }
  void Restore() override { asked_->restored = true; }
  int64_t call_ns() const override { return call_ns_; }
  int64_t transition_ns() const override { return transition_ns_; }
  Frequencies frequencies() const override { return {100, 150, 200}; }

  bool fails = false;

 private:
  ActuatorCalls* const asked_;
  const int64_t call_ns_;
  const int64_t transition_ns_;
};

// Wants high during collections, and from a deadline after each event's begin;
// at a queue length of ten.
class FakePolicy : public Policy {
 public:
  FakePolicy(int64_t head_ns, int64_t patience_ns, std::atomic<uint64_t>* taken)
      : head_ns_(head_ns), patience_ns_(patience_ns), taken_(taken) {}

  std::string_view name() const override { return "fake"; }
  void On(const Signal& signal) override {
    ++*taken_;
    if (IsOfTheLoop(signal)) {
      EXPECT_GE(signal.now_ns, last_ns_);
      last_ns_ = signal.now_ns;
    }
    switch (signal.kind) {
      case SignalKind::kGcBegin:
        want_ = {Level::kHigh, Reason::kGc};
        break;
      case SignalKind::kEventBegin:
        deadline_ns_ = signal.now_ns + head_ns_;
        want_ = {};
        break;
      case SignalKind::kDeadline:
        deadline_ns_ = kNever;
        want_ = {Level::kHigh, Reason::kHead};
        break;
      case SignalKind::kQueueLength:
        if (signal.value >= 10) want_ = {Level::kHigh, Reason::kQueue};
        break;
      case SignalKind::kLoopIdle:
        deadline_ns_ = kNever;
        want_ = {};
        break;
      case SignalKind::kGcEnd:
        want_ = {};
        break;
      default:
        break;
    }
  }
  Want want() const override { return want_; }
  int64_t next_deadline_ns() const override { return deadline_ns_; }
  int64_t patience_ns() const override { return patience_ns_; }
  bool watches_queue() const override { return true; }

 private:
  static bool IsOfTheLoop(const Signal& signal) {
    return signal.kind != SignalKind::kDeadline &&
           signal.kind != SignalKind::kQueueLength &&
           signal.kind != SignalKind::kSignalsLost;
  }

  const int64_t head_ns_;
  const int64_t patience_ns_;
  std::atomic<uint64_t>* const taken_;
  Want want_;
  int64_t deadline_ns_ = kNever;
  int64_t last_ns_ = 0;
};

class ControllerTest : public testing::Test {
 protected:
  void Start(int64_t call_ns = 0, int64_t transition_ns = 0,
             ControllerConfig config = {}) {
    auto actuator =
        std::make_unique<FakeActuator>(&asked_, call_ns, transition_ns);
    actuator->fails = fails_;
    controller_ = std::make_unique<Controller>(
        std::make_unique<FakePolicy>(kHeadNs, patience_ns_, &taken_),
        std::move(actuator), std::move(config));
  }

  static constexpr int64_t kHeadNs = 5 * kMs;

  void Note(SignalKind kind, uint32_t value = 0) {
    controller_->Note(
        {.kind = kind, .value = value, .now_ns = MonotonicTickNs()});
  }

  void Post(SignalKind kind, uint32_t value = 0) {
    controller_->Post(
        {.kind = kind, .value = value, .now_ns = MonotonicTickNs()});
  }

  // Waits for at most two seconds.
  bool Eventually(size_t count, Level level) {
    for (int i = 0; i < 2000; ++i) {
      if (asked_.count() >= count && asked_.last() == level) return true;
      SleepMs(1);
    }
    return false;
  }

  ActuatorCalls asked_;
  std::atomic<uint64_t> taken_{
      0};  // signals that the policy got; under the lock
  bool fails_ = false;
  int64_t patience_ns_ = 0;
  std::unique_ptr<Controller> controller_;
};

}  // namespace edgewise
