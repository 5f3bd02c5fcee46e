#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "boost/actuator.h"
#include "boost/controller.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr int64_t kMs = 1'000'000;

void Pause() {
  const timespec time{0, 10'000};
  nanosleep(&time, nullptr);
}

// Holds the lock at one of the thread's questions until the loop has posted.
class StallingPolicy : public Policy {
 public:
  explicit StallingPolicy(int question) : questions_left_(question) {}

  std::string_view name() const override { return "stalling"; }
  void On(const Signal& signal) override {
    if (signal.kind == SignalKind::kEventBegin) {
      deadline_ns_ = signal.now_ns + kMs;
    } else if (signal.kind == SignalKind::kDeadline) {
      late_ns_ = signal.now_ns - deadline_ns_;
      deadline_ns_ = kNever;
    }
  }
  Want want() const override { return {}; }
  int64_t next_deadline_ns() const override {
    if (std::this_thread::get_id() == loop_) return deadline_ns_;
    if (questions_left_ > 0 && --questions_left_ == 0) {
      stalls_ = true;
      while (!posted_) Pause();
    }
    return deadline_ns_;
  }

  const std::thread::id loop_ = std::this_thread::get_id();
  mutable std::atomic<int> questions_left_;
  mutable std::atomic<bool> stalls_ = false;
  std::atomic<bool> posted_ = false;
  std::atomic<int64_t> late_ns_ = -1;

 private:
  int64_t deadline_ns_ = kNever;
};

// The event begins while the thread holds the lock, at whichever question.
int64_t LatenessOfDeadline(int question) {
  auto actuator = MakeActuator({.name = "none"});
  auto owned = std::make_unique<StallingPolicy>(question);
  StallingPolicy& policy = *owned;
  Controller controller(std::move(owned), *std::move(actuator), {});
  while (!policy.stalls_) Pause();
  controller.Post(
      {.kind = SignalKind::kEventBegin, .now_ns = MonotonicTickNs()});
  policy.posted_ = true;
  while (policy.late_ns_ < 0) Pause();
  return policy.late_ns_;
}

TEST(ControllerRaceTest, ADeadlineSetWhileTheThreadTurnsIsNotSleptOver) {
  for (int question = 1; question <= 6; ++question) {
    // The least of a few: this machine's schedulers may be late as well.
    int64_t least_ns = LatenessOfDeadline(question);
    for (int i = 0; i < 4; ++i) {
      least_ns = std::min(least_ns, LatenessOfDeadline(question));
    }
    EXPECT_LT(least_ns, 10 * kMs) << "question " << question;
  }
}

}  // namespace
}  // namespace edgewise
