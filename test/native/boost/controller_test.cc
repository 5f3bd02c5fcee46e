#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "boost/policy/adrenaline.h"
#include "boost/policy/gc_boost.h"
#include "test/native/boost/controller_kit.h"
#include "test/native/boost/fake_sysfs.h"

namespace edgewise {
namespace {

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

TEST_F(ControllerTest, ACollectionWhoseEndWasDroppedIsNotBoostedForEver) {
  controller_ = std::make_unique<Controller>(
      std::make_unique<GcBoost>(PolicyConfig{}),
      std::make_unique<FakeActuator>(&asked_, 0, 0), ControllerConfig{});
  Post(SignalKind::kGcBegin, 1);
  Post(SignalKind::kGcBegin, 1);  // collections do not nest: the next one
  EXPECT_EQ(asked_.last(), Level::kHigh);
  Post(SignalKind::kGcEnd);
  EXPECT_EQ(asked_.last(), Level::kLow);
}

// Says when it is asked, and answers when the test gives back `asked.mutex`.
class StallingActuator : public FakeActuator {
 public:
  StallingActuator(ActuatorCalls* asked, std::atomic<int>* calls)
      : FakeActuator(asked, /*call_ns=*/100'000, 0), calls_(calls) {}
  absl::Status Set(Level level) override {
    ++*calls_;
    return FakeActuator::Set(level);
  }

 private:
  std::atomic<int>* const calls_;
};

TEST_F(ControllerTest, ARequestWhoseEndWasDroppedIsNotBoostedForEver) {
  std::atomic<int> calls = 0;
  controller_ = std::make_unique<Controller>(
      std::make_unique<Adrenaline>(PolicyConfig{.tail_routes = {1}}),
      std::make_unique<StallingActuator>(&asked_, &calls), ControllerConfig{});
  const auto post = [&](SignalKind kind) {
    controller_->Post(
        {.kind = kind, .route = 1, .request = 1, .now_ns = MonotonicTickNs()});
  };
  {
    const std::lock_guard stalled(asked_.mutex);
    post(SignalKind::kRequestBegin);
    while (calls < 2) SleepMs(1);  // the thread has the controller's lock
    for (int i = 0; i < 256; ++i) post(SignalKind::kDeadline);  // all its room
    post(SignalKind::kRequestEnd);
  }
  EXPECT_TRUE(Eventually(3, Level::kLow));
  EXPECT_EQ(controller_->stats().dropped_signals, 1u);
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

TEST_F(ControllerTest, ARaisedLevelIsHeldForTheDwell) {
  // So long that a pause of the machine does not pass for it.
  Start(/*call_ns=*/0, /*transition_ns=*/200 * kMs);
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
  EXPECT_GE(gc.boosted_ns, 400 * kMs);
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

TEST_F(ControllerTest, ReadsTheEnergyCountersBeforeTheyHaveWrapped) {
  const FakeSysfs sysfs;
  const auto write = [&](const std::string& file, const std::string& value) {
    sysfs.Write("class/powercap/intel-rapl:0/" + file, value);
  };
  write("name", "package-0");
  write("max_energy_range_uj", "1000");
  write("energy_uj", "900");
  Start(0, 0, {.energy_pause_ns = kMs, .root = sysfs.root()});
  write("energy_uj", "100");  // 200 more
  SleepMs(100);
  write("energy_uj", "950");
  EXPECT_EQ(controller_->stats().measured_uj, 1050u);
}

TEST_F(ControllerTest, TheStatisticsAreWrittenAsJson) {
  const std::string stem =
      testing::TempDir() + "/boost-" + std::to_string(getpid());
  const std::string path = stem + ".json";
  Start(0, 0, {.stats_stem = stem});
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

// In a container a server that is started again has the same process number.
TEST_F(ControllerTest, StatisticsThatAreThereAreKept) {
  const std::string stem =
      testing::TempDir() + "/boost-again-" + std::to_string(getpid());
  for (int boosts = 1; boosts <= 3; ++boosts) {
    Start(0, 0, {.stats_stem = stem});
    for (int i = 0; i < boosts; ++i) {
      Post(SignalKind::kGcBegin, 1);
      Post(SignalKind::kGcEnd);
    }
    controller_->Stop();
  }
  int boosts = 0;
  for (const char* end : {".json", ".1.json", ".2.json"}) {
    const std::string path = stem + end;
    EXPECT_EQ(nlohmann::json::parse(std::ifstream(path))["boosts"], ++boosts);
    unlink(path.c_str());
  }
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
