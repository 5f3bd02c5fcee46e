#include "boost/queue_watch.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "platform/clock.h"

namespace edgewise {
namespace {

using Arrival = QueueWatch::Arrival;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kLongNs = 10'000 * kMs;
constexpr int64_t kClocksDifferNs = 20'000;

// An event loop's epoll file with two files.
class QueueWatchTest : public testing::Test {
 protected:
  QueueWatchTest() {
    for (const int file : files_) {
      epoll_event event{};
      event.events = EPOLLIN;
      epoll_ctl(loop_, EPOLL_CTL_ADD, file, &event);
    }
  }
  ~QueueWatchTest() override {
    for (const int fd : {files_[0], files_[1], loop_}) close(fd);
  }

  void MakeReady(int i) const { eventfd_write(files_[i], 1); }
  int ReadyForTheLoop() const {
    epoll_event events[4];
    return epoll_wait(loop_, events, 4, 0);
  }

  const int loop_ = epoll_create1(EPOLL_CLOEXEC);
  const int files_[2] = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)};
  QueueWatch watch_{loop_};
};

TEST_F(QueueWatchTest, SleepsAsLongAsItIsTold) {
  const int64_t begin_ns = MonotonicNs();
  EXPECT_EQ(watch_.Sleep(5 * kMs, /*listens=*/true), Arrival::kNone);
  EXPECT_GE(MonotonicNs() - begin_ns, 5 * kMs);
  EXPECT_EQ(watch_.Sleep(0, /*listens=*/true), Arrival::kNone);
  EXPECT_EQ(watch_.Sleep(-1, /*listens=*/false), Arrival::kNone);
}

TEST_F(QueueWatchTest, AWakeUpCountsBeforehandAndOnce) {
  watch_.Wake();
  watch_.Wake();
  EXPECT_EQ(watch_.Sleep(kLongNs, /*listens=*/false), Arrival::kNone);
  const int64_t begin_ns = MonotonicNs();
  EXPECT_EQ(watch_.Sleep(2 * kMs, /*listens=*/true), Arrival::kNone);
  EXPECT_GE(MonotonicNs() - begin_ns, 2 * kMs);
}

TEST_F(QueueWatchTest, AnEarlierTimeStaysSetAndALaterOneDoesNotHold) {
  watch_.Wake();
  EXPECT_EQ(watch_.Sleep(5 * kMs, /*listens=*/false), Arrival::kNone);
  EXPECT_EQ(watch_.Sleep(kLongNs, /*listens=*/false), Arrival::kNone);
  watch_.Wake();
  EXPECT_EQ(watch_.Sleep(kLongNs, /*listens=*/false), Arrival::kNone);
  for (int i = 0; i < 3; ++i) {
    const int64_t begin_ns = MonotonicNs();
    EXPECT_EQ(watch_.Sleep(3 * kMs, /*listens=*/false), Arrival::kNone);
    EXPECT_GE(MonotonicNs() - begin_ns, 3 * kMs - kClocksDifferNs);
    EXPECT_LT(MonotonicNs() - begin_ns, kLongNs / 2);
  }
}

TEST_F(QueueWatchTest, AnArrivalEndsTheSleepAndIsToldOnce) {
  std::thread sender([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    MakeReady(0);
  });
  EXPECT_EQ(watch_.Sleep(kLongNs, /*listens=*/true), Arrival::kNow);
  sender.join();
  EXPECT_EQ(watch_.Sleep(2 * kMs, /*listens=*/true), Arrival::kNone);
  EXPECT_EQ(watch_.CountReady(), 1);
  EXPECT_EQ(ReadyForTheLoop(), 1) << "it was taken from the loop";
  MakeReady(1);
  EXPECT_EQ(watch_.Sleep(kLongNs, /*listens=*/true), Arrival::kBefore);
  EXPECT_EQ(watch_.CountReady(), 2);
}

TEST_F(QueueWatchTest, WhoIsDeafIsToldLater) {
  MakeReady(0);
  const int64_t begin_ns = MonotonicNs();
  EXPECT_EQ(watch_.Sleep(2 * kMs, /*listens=*/false), Arrival::kNone);
  EXPECT_GE(MonotonicNs() - begin_ns, 2 * kMs);
  EXPECT_EQ(watch_.Sleep(kLongNs, /*listens=*/true), Arrival::kBefore);
}

TEST(QueueWatchAloneTest, OnlySleepsAndWakes) {
  QueueWatch watch(-1);
  EXPECT_EQ(watch.CountReady(), -1);
  EXPECT_EQ(watch.Sleep(kMs, /*listens=*/true), Arrival::kNone);
  watch.Wake();
  EXPECT_EQ(watch.Sleep(kLongNs, /*listens=*/true), Arrival::kNone);
}

}  // namespace
}  // namespace edgewise
