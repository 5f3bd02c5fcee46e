#include "boost/controller.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr int64_t kMs = 1'000'000;

void SleepMs(int64_t ms) {
  const timespec time{ms / 1000, ms % 1000 * kMs};
  nanosleep(&time, nullptr);
}

// What an actuator was asked for, shared with the test, which outlives it.
struct Asked {
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
  FakeActuator(Asked* asked, int64_t call_ns, int64_t transition_ns)
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
  Asked* const asked_;
  const int64_t call_ns_;
  const int64_t transition_ns_;
};

// Wants high during collections, and from a deadline after each event's begin;
// at a queue length of ten.
class FakePolicy : public Policy {
 public:
  FakePolicy(int64_t head_ns, int64_t patience_ns, uint64_t* taken)
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
           signal.kind != SignalKind::kQueueLength;
  }

  const int64_t head_ns_;
  const int64_t patience_ns_;
  uint64_t* const taken_;
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

  Asked asked_;
  uint64_t taken_ = 0;  // signals that the policy got; under the lock
  bool fails_ = false;
  int64_t patience_ns_ = 0;
  std::unique_ptr<Controller> controller_;
};

TEST_F(ControllerTest, BeginsWithTheLevelOfThePolicyAndRestores) {
  Start();
  EXPECT_EQ(asked_.levels, std::vector{Level::kLow});
  controller_->Stop();
  EXPECT_TRUE(asked_.restored);
  EXPECT_EQ(asked_.count(), 1u);
}

TEST_F(ControllerTest, ACheapActuatorIsCalledByTheLoopAtOnce) {
  Start();
  Post(SignalKind::kGcBegin, 1);
  ASSERT_EQ(asked_.count(), 2u);
  EXPECT_EQ(asked_.last(), Level::kHigh);
  EXPECT_EQ(asked_.last_thread(), std::this_thread::get_id());
  Post(SignalKind::kGcEnd);
  EXPECT_EQ(asked_.last(), Level::kLow);
}

TEST_F(ControllerTest, ADearActuatorIsCalledByTheThread) {
  Start(/*call_ns=*/100'000);
  Post(SignalKind::kGcBegin, 1);
  ASSERT_TRUE(Eventually(2, Level::kHigh));
  EXPECT_NE(asked_.last_thread(), std::this_thread::get_id());
  Post(SignalKind::kGcEnd);
  EXPECT_TRUE(Eventually(3, Level::kLow));
}

TEST_F(ControllerTest, ALongEventIsBoostedWhileItRuns) {
  Start();
  Post(SignalKind::kLoopBusy, 1);
  Post(SignalKind::kEventBegin);
  EXPECT_EQ(asked_.count(), 1u);
  ASSERT_TRUE(Eventually(2, Level::kHigh));
  Post(SignalKind::kLoopIdle);
  EXPECT_EQ(asked_.last(), Level::kLow);
  const ControllerStats stats = controller_->stats();
  EXPECT_EQ(stats.reasons[static_cast<size_t>(Reason::kHead)].boosts, 1u);
}

TEST_F(ControllerTest, AnEventThatEndsBeforeItsDeadlineIsNot) {
  Start();
  for (int i = 0; i < 50; ++i) {
    Post(SignalKind::kLoopBusy, 1);
    Post(SignalKind::kEventBegin);
    Post(SignalKind::kLoopIdle);
  }
  SleepMs(20);
  EXPECT_EQ(asked_.count(), 1u);
}

TEST_F(ControllerTest, WhatIsNotedInTheCalmIsTakenBeforeWhatIsPosted) {
  patience_ns_ = kHeadNs;
  Start();
  Note(SignalKind::kLoopBusy, 3);
  Post(SignalKind::kEventBegin);
  for (int i = 0; i < 2; ++i) controller_->NoteBegin(Ticks());
  Post(SignalKind::kGcBegin, 1);
  controller_->NoteBegin(Ticks());
  controller_->stats();  // The lock, which the thread may have had.
  EXPECT_EQ(taken_, 6u) << "and once boosted, at once";
  EXPECT_EQ(asked_.last(), Level::kLow) << "the fake ends its boost then";
}

TEST_F(ControllerTest, AnEventThatWasOnlyNotedIsBoostedWhenItTakesLong) {
  patience_ns_ = kHeadNs;
  Start();
  for (int i = 0; i < 3; ++i) {
    Note(SignalKind::kLoopBusy, 2);
    Post(SignalKind::kEventBegin);
    SleepMs(1);
    const int64_t begin_ns = MonotonicTickNs();
    controller_->NoteBegin(Ticks());
    ASSERT_TRUE(Eventually(2 + 2 * i, Level::kHigh));
    EXPECT_GE(MonotonicTickNs() - begin_ns, kHeadNs);
    Note(SignalKind::kLoopIdle);
    EXPECT_EQ(asked_.last(), Level::kLow);
    SleepMs(2);
  }
}

TEST_F(ControllerTest, MoreIsNotedThanItsQueueHolds) {
  patience_ns_ = kHeadNs;
  Start();
  for (int i = 0; i < 10'000; ++i) controller_->NoteBegin(Ticks());
  Post(SignalKind::kLoopIdle);
  const uint64_t dropped = controller_->stats().dropped_signals;
  EXPECT_GE(taken_ + dropped, 10'001u);
}

TEST_F(ControllerTest, ARaisedLevelIsHeldForTheDwell) {
  Start(/*call_ns=*/0, /*transition_ns=*/10 * kMs);
  Post(SignalKind::kGcBegin, 1);
  Post(SignalKind::kGcEnd);
  EXPECT_EQ(asked_.last(), Level::kHigh);
  // Another collection meanwhile is no new boost.
  Post(SignalKind::kGcBegin, 1);
  Post(SignalKind::kGcEnd);
  EXPECT_EQ(asked_.count(), 2u);
  ASSERT_TRUE(Eventually(3, Level::kLow));
  const ControllerStats stats = controller_->stats();
  const auto& gc = stats.reasons[static_cast<size_t>(Reason::kGc)];
  EXPECT_EQ(gc.boosts, 1u);
  EXPECT_GE(gc.boosted_ns, 20 * kMs);
}

TEST_F(ControllerTest, TheQueueIsLookedAtWhenItGrowsWhileTheLoopIsBusy) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  std::vector<int> files;
  for (int i = 0; i < 10; ++i) {
    files.push_back(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(epoll, EPOLL_CTL_ADD, files.back(), &event);
  }
  Start(0, 0, {.look_fd = epoll});
  eventfd_write(files[0], 1);
  SleepMs(30);
  EXPECT_EQ(asked_.count(), 1u) << "an idle loop has no queue";
  EXPECT_EQ(controller_->stats().looks, 0u);
  Post(SignalKind::kLoopBusy, 1);
  SleepMs(30);
  EXPECT_EQ(controller_->stats().looks, 0u) << "nothing has come";
  for (const int file : files) eventfd_write(file, 1);
  EXPECT_TRUE(Eventually(2, Level::kHigh));
  Post(SignalKind::kLoopIdle);
  // The looks took nothing away.
  epoll_event ready[16];
  EXPECT_EQ(epoll_wait(epoll, ready, 16, 0), 10);
  controller_.reset();
  for (const int file : files) close(file);
  close(epoll);
}

TEST_F(ControllerTest, AnActuatorThatFailsIsCountedAndTheLoopGoesOn) {
  fails_ = true;
  Start();
  Post(SignalKind::kGcBegin, 1);
  Post(SignalKind::kGcEnd);
  const ControllerStats stats = controller_->stats();
  EXPECT_EQ(stats.set_errors, 3u);
  EXPECT_EQ(stats.last_error, "gone");
}

TEST_F(ControllerTest, ResidenciesAddUpToTheTime) {
  Start();
  SleepMs(20);
  Post(SignalKind::kGcBegin, 1);
  SleepMs(20);
  Post(SignalKind::kGcEnd);
  const ControllerStats stats = controller_->stats();
  EXPECT_EQ(stats.residency[0] + stats.residency[1] + stats.residency[2],
            stats.elapsed_ns);
  EXPECT_GE(stats.residency[2], 20 * kMs);
  EXPECT_GE(stats.residency[0], 20 * kMs);
  EXPECT_EQ(stats.reasons[static_cast<size_t>(Reason::kGc)].boosted_ns,
            stats.residency[2]);
}

// The loop's posts and the thread's turns meet; under TSan this is the test of
// the lock. Signals may be dropped when the thread loses the processor while it
// holds the lock, but are then counted, and the next idle loop ends what they
// left open.
TEST_F(ControllerTest, EverySignalIsTakenOrCounted) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  patience_ns_ = kHeadNs;
  Start(0, 0, {.look_share = 1, .look_fd = epoll});
  uint64_t posted = 0;
  const auto post = [&](SignalKind kind) {
    Post(kind, 1);
    ++posted;
  };
  for (int i = 0; i < 20'000; ++i) {
    post(SignalKind::kEventBegin);
    for (int noted = 0; noted < i % 4; ++noted) {
      controller_->NoteBegin(Ticks());
      ++posted;
    }
    post(SignalKind::kGcBegin);
    post(SignalKind::kGcEnd);
    if (i % 16 == 0) {
      Note(SignalKind::kLoopIdle);
      ++posted;
    }
  }
  SleepMs(30);
  const uint64_t before_idle = controller_->stats().dropped_signals;
  post(SignalKind::kGcBegin);
  Post(SignalKind::kLoopIdle);
  ++posted;
  SleepMs(30);
  const ControllerStats stats = controller_->stats();
  EXPECT_EQ(stats.dropped_signals, before_idle);
  // The end of the collection that was left open is one that nobody posted.
  EXPECT_GE(taken_ + stats.dropped_signals, posted + 1);
  EXPECT_EQ(asked_.last(), Level::kLow);
  controller_.reset();
  close(epoll);
}

// The thread has precedence (where this user may give it that), and here no
// other processor: when it finds the lock taken, the loop must get on.
TEST_F(ControllerTest, OnOneProcessorTheLoopGetsMostOfIt) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  Start();
  const int64_t began_ns = MonotonicTickNs();
  const int64_t cpu_began_ns = ThreadCpuNs();
  while (MonotonicTickNs() < began_ns + 1000 * kMs) {
    Post(SignalKind::kLoopBusy, 1);
    Post(SignalKind::kEventBegin);
    Post(SignalKind::kLoopIdle);
  }
  const int64_t loop_ns = ThreadCpuNs() - cpu_began_ns;
  const int64_t thread_ns = controller_->stats().cpu_ns;
  sched_setaffinity(0, sizeof(before), &before);
  EXPECT_GT(loop_ns, thread_ns);
}

TEST_F(ControllerTest, TheStatisticsAreWrittenAsJson) {
  const std::string path =
      testing::TempDir() + "/boost-" + std::to_string(getpid()) + ".json";
  Start(0, 0, {.stats_path = path});
  Post(SignalKind::kGcBegin, 1);
  Post(SignalKind::kGcEnd);
  controller_->Stop();
  const auto json = nlohmann::json::parse(std::ifstream(path));
  EXPECT_EQ(json["policy"], "fake");
  EXPECT_EQ(json["boosts"], 1);
  EXPECT_EQ(json["reasons"]["gc"]["boosts"], 1);
  EXPECT_EQ(json["reaction_ns"]["gc"]["count"], 1);
  EXPECT_EQ(json["frequencies_khz"]["high"], 200);
  EXPECT_EQ(json["energy"]["kind"], "modelled");
  unlink(path.c_str());
}

TEST(ReactionTimesTest, QuantilesAreTheBucketsUpperBounds) {
  ReactionTimes times;
  for (int i = 1; i <= 1000; ++i) times.Add(i);
  EXPECT_EQ(times.count(), 1000u);
  EXPECT_EQ(times.max_ns(), 1000u);
  EXPECT_NEAR(static_cast<double>(times.Quantile(0.5)), 500, 500 / 8.0);
  EXPECT_NEAR(static_cast<double>(times.Quantile(0.99)), 990, 990 / 8.0);
  EXPECT_EQ(times.Quantile(1), 1000u);
  EXPECT_EQ(ReactionTimes().Quantile(0.5), 0u);
}

}  // namespace
}  // namespace edgewise
