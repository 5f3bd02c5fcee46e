#include "recorder/ready_watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "platform/clock.h"
#include "test/native/platform/sleep_ms.h"

namespace edgewise {
namespace {

constexpr int64_t kIntervalNs = 200'000;

// A connected pair; [0] is the watched end.
class ReadyWatcherTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto watcher = ReadyWatcher::Start(kIntervalNs, [this](uint64_t) {
      ++looks_;
      return more_.load();
    });
    ASSERT_TRUE(watcher.ok()) << watcher.status();
    watcher_ = *std::move(watcher);
    Connect();
  }
  void TearDown() override {
    watcher_.reset();
    close(pair_[0]);
    close(pair_[1]);
  }
  void Connect() {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair_), 0);
  }
  void Send() { ASSERT_EQ(write(pair_[1], "x", 1), 1); }
  void Receive() {
    char byte;
    ASSERT_EQ(read(pair_[0], &byte, 1), 1);
    watcher_->Consumed(pair_[0], Ticks());
  }

  std::atomic<int> looks_{0};
  std::atomic<bool> more_{false};
  std::unique_ptr<ReadyWatcher> watcher_;
  int pair_[2];
};

TEST_F(ReadyWatcherTest, SeesWhenADescriptorBecomesReady) {
  EXPECT_TRUE(watcher_->Watch(pair_[0]));
  SleepMs(10);
  EXPECT_EQ(watcher_->ReadySince(pair_[0]).since, 0u);
  const uint64_t sent = Ticks();
  Send();
  SleepMs(20);
  const uint64_t seen = watcher_->ReadySince(pair_[0]).since;
  ASSERT_NE(seen, 0u);
  // The estimate is the middle between two looks: it may lie before the edge.
  const auto error_ns =
      std::abs(static_cast<double>(static_cast<int64_t>(seen - sent))) /
      TicksPerNs();
  EXPECT_LT(error_ns, 10e6) << "far from the truth, even on a noisy machine";
  EXPECT_GT(looks_, 0);
}

TEST_F(ReadyWatcherTest, KeepsTheFirstOfSeveralEdges) {
  watcher_->Watch(pair_[0]);
  Send();
  SleepMs(20);
  const uint64_t first = watcher_->ReadySince(pair_[0]).since;
  Send();
  SleepMs(20);
  EXPECT_EQ(watcher_->ReadySince(pair_[0]).since, first);
}

TEST_F(ReadyWatcherTest, ForgetsWhatTheLoopHasRead) {
  watcher_->Watch(pair_[0]);
  Send();
  SleepMs(20);
  ASSERT_NE(watcher_->ReadySince(pair_[0]).since, 0u);
  Receive();
  EXPECT_EQ(watcher_->ReadySince(pair_[0]).since, 0u);
}

TEST_F(ReadyWatcherTest, TakesNoEdgeOfBytesThatWereReadBeforeItLooked) {
  watcher_->Watch(pair_[0]);
  Send();
  Receive();
  SleepMs(20);
  EXPECT_EQ(watcher_->ReadySince(pair_[0]).since, 0u);
}

TEST_F(ReadyWatcherTest, DoesNotTakeTheLoopsEvents) {
  const int loop_epoll = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = pair_[0];
  ASSERT_EQ(epoll_ctl(loop_epoll, EPOLL_CTL_ADD, pair_[0], &event), 0);
  watcher_->Watch(pair_[0]);
  Send();
  SleepMs(20);
  ASSERT_NE(watcher_->ReadySince(pair_[0]).since, 0u);
  EXPECT_EQ(epoll_wait(loop_epoll, &event, 1, 0), 1);
  close(loop_epoll);
}

TEST_F(ReadyWatcherTest, SurvivesReuseOfADescriptorNumber) {
  const int number = pair_[0];
  EXPECT_TRUE(watcher_->Watch(number));
  Send();
  SleepMs(20);
  EXPECT_FALSE(watcher_->Watch(number)) << "the same file, known";
  EXPECT_NE(watcher_->ReadySince(number).since, 0u);
  watcher_->SetAccepted(number,
                        {.poll = 7, .ticks = 5, .arrival = {42, false}});
  close(pair_[0]);
  close(pair_[1]);
  Connect();
  ASSERT_EQ(pair_[0], number) << "the kernel gives the lowest number";
  EXPECT_TRUE(watcher_->Watch(number)) << "another file under the number";
  EXPECT_EQ(watcher_->ReadySince(number).since, 0u) << "the other one's bytes";
  EXPECT_EQ(watcher_->TakeAccepted(number).poll, 0u);
  const uint64_t sent = Ticks();
  Send();
  SleepMs(20);
  // The estimate may lie before the edge, by half a rest at most.
  EXPECT_GT(watcher_->ReadySince(number).since, sent - NsToTicks(kIntervalNs));
}

// What a client sends is looked at only while a turn of the loop is long.
TEST_F(ReadyWatcherTest, SeesTheFirstThatAClientSendsInALongTurn) {
  watcher_->WatchAccepted(pair_[0]);
  watcher_->LoopGoesOn(Ticks(), /*slept=*/false, sched_getcpu());
  SleepMs(30);
  const uint64_t sent = Ticks();
  Send();
  SleepMs(30);
  const auto [since, from, by, latest] = watcher_->ReadySince(pair_[0]);
  ASSERT_NE(since, 0u);
  EXPECT_GE(by, sent);
  EXPECT_LE(since, by);
  const auto error_ns =
      std::abs(static_cast<double>(static_cast<int64_t>(since - sent))) /
      TicksPerNs();
  EXPECT_LT(error_ns, 15e6) << "far from the truth, even on a noisy machine";
  Send();
  SleepMs(30);
  EXPECT_EQ(watcher_->ReadySince(pair_[0]).since, since) << "of the first";
  Receive();
  EXPECT_EQ(watcher_->ReadySince(pair_[0]).since, 0u);
}

TEST_F(ReadyWatcherTest, DoesNotLookAtClientsWhileTheLoopTurns) {
  watcher_->WatchAccepted(pair_[0]);
  watcher_->LoopWaits();
  Send();
  SleepMs(100);
  EXPECT_EQ(watcher_->ReadySince(pair_[0]).since, 0u) << "a loop that waits";
  watcher_->LoopGoesOn(Ticks(), /*slept=*/false, sched_getcpu());
  Send();
  SleepMs(30);
  EXPECT_NE(watcher_->ReadySince(pair_[0]).since, 0u) << "it has not gone deaf";
}

TEST_F(ReadyWatcherTest, SeesWhenAConnectionIsEstablished) {
  const int listening = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listening, any, length), 0);
  ASSERT_EQ(listen(listening, 1), 0);
  ASSERT_EQ(getsockname(listening, any, &length), 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  EXPECT_EQ(connect(client, any, length), -1);
  EXPECT_EQ(errno, EINPROGRESS);
  EXPECT_TRUE(watcher_->WatchConnecting(client));
  SleepMs(20);
  EXPECT_NE(watcher_->ReadySince(client).since, 0u);
  watcher_->Connected(client);
  EXPECT_EQ(watcher_->ReadySince(client).since, 0u) << "nothing can be read";
  watcher_->Consumed(client, Ticks());
  SleepMs(20);
  EXPECT_EQ(watcher_->ReadySince(client).since, 0u) << "it can be written";
  const int server = accept(listening, nullptr, nullptr);
  ASSERT_EQ(write(server, "x", 1), 1);
  SleepMs(20);
  EXPECT_NE(watcher_->ReadySince(client).since, 0u) << "it can be read";
  for (const int fd : {listening, client, server}) close(fd);
}

TEST_F(ReadyWatcherTest, KeepsWhatIsKnownOfAnAcceptedConnection) {
  watcher_->SetAccepted(pair_[0],
                        {.poll = 7, .ticks = 5, .arrival = {42, false}});
  EXPECT_TRUE(watcher_->Watch(pair_[0], /*accepted=*/true));
  EXPECT_EQ(watcher_->TakeAccepted(pair_[0]).arrival.ticks, 42u);
}

TEST_F(ReadyWatcherTest, SleepsUntilThereIsAnEdge) {
  watcher_->Watch(pair_[0]);
  SleepMs(20);
  const int64_t before_ns = watcher_->CpuNs();
  looks_ = 0;
  SleepMs(300);
  EXPECT_LT(watcher_->CpuNs() - before_ns, 1'000'000);
  EXPECT_EQ(looks_, 0);
  Send();
  SleepMs(50);
  EXPECT_EQ(looks_, 1);
}

// A watcher with a long rest, whose loop sleeps, and edges on three files.
class ReadyWatcherRestTest : public ::testing::Test {
 protected:
  static constexpr int kRestMs = 400;

  void SetUp() override {
    auto watcher = ReadyWatcher::Start(kRestMs * 1'000'000, nullptr);
    ASSERT_TRUE(watcher.ok()) << watcher.status();
    watcher_ = *std::move(watcher);
    for (auto& pair : pairs_) {
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
      watcher_->Watch(pair[0]);
    }
    watcher_->LoopWaits();
  }
  void TearDown() override {
    watcher_.reset();
    for (const auto& pair : pairs_) {
      close(pair[0]);
      close(pair[1]);
    }
  }
  // Whether the edge is seen long before a rest would be over.
  bool SeesAtOnce(int file) {
    EXPECT_EQ(write(pairs_[file][1], "x", 1), 1);
    SleepMs(kRestMs / 8);
    return watcher_->ReadySince(pairs_[file][0]).since != 0;
  }

  std::unique_ptr<ReadyWatcher> watcher_;
  int pairs_[3][2];
};

TEST_F(ReadyWatcherRestTest, DoesNotRestAfterALoneEdgeOfASleepingLoop) {
  SleepMs(kRestMs + 100);
  EXPECT_TRUE(SeesAtOnce(0));
  watcher_->LoopGoesOn(Ticks(), /*slept=*/true, sched_getcpu());
  EXPECT_TRUE(SeesAtOnce(1));
}

TEST_F(ReadyWatcherRestTest, RestsBetweenEdgesThatComeFast) {
  EXPECT_TRUE(SeesAtOnce(0));
  EXPECT_FALSE(SeesAtOnce(1));
}

TEST_F(ReadyWatcherRestTest, RestsWhileTheLoopIsBusy) {
  SleepMs(kRestMs + 100);
  watcher_->LoopGoesOn(Ticks(), /*slept=*/false, sched_getcpu());
  EXPECT_TRUE(SeesAtOnce(0));
  EXPECT_FALSE(SeesAtOnce(1));
}

TEST_F(ReadyWatcherTest, LooksAgainAsLongAsThereMayBeMore) {
  watcher_->Watch(pair_[0]);
  more_ = true;
  Send();
  SleepMs(50);
  EXPECT_GT(looks_, 3);
  more_ = false;
  SleepMs(20);
  const int looks = looks_;
  SleepMs(50);
  EXPECT_EQ(looks_, looks);
}

TEST_F(ReadyWatcherTest, IgnoresDescriptorsBeyondItsTable) {
  EXPECT_FALSE(watcher_->Watch(ReadyWatcher::kMaxFds));
  EXPECT_FALSE(watcher_->Watch(-1));
  EXPECT_EQ(watcher_->ReadySince(-1).since, 0u);
  watcher_->Consumed(ReadyWatcher::kMaxFds, 1);
}

TEST_F(ReadyWatcherTest, TimesEachConnectionThatWaitsInTheBacklog) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(listener, 16), 0);
  ASSERT_EQ(
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  ASSERT_TRUE(watcher_->Watch(listener));
  watcher_->Listen(listener, true);
  int clients[3];
  uint64_t connected[3];
  for (int i = 0; i < 3; ++i) {
    SleepMs(30);
    clients[i] = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(
        connect(clients[i], reinterpret_cast<sockaddr*>(&address), length), 0);
    connected[i] = Ticks();
  }
  SleepMs(30);
  for (int i = 0; i < 3; ++i) {
    const int connection = accept(listener, nullptr, nullptr);
    ASSERT_GE(connection, 0);
    const uint64_t arrival = watcher_->TakeArrival(listener).ticks;
    ASSERT_NE(arrival, 0u);
    const auto error =
        static_cast<double>(static_cast<int64_t>(arrival - connected[i]));
    EXPECT_LT(std::abs(error) / TicksPerNs(), 15e6) << "connection " << i;
    close(connection);
    close(clients[i]);
  }
  EXPECT_EQ(watcher_->TakeArrival(listener).ticks, 0u);
  watcher_->Listen(listener, false);
  EXPECT_EQ(watcher_->TakeArrival(listener).ticks, 0u);
  close(listener);
}

TEST_F(ReadyWatcherTest, RemembersAnAcceptOnce) {
  watcher_->SetAccepted(pair_[0],
                        {.poll = 7, .ticks = 5, .arrival = {42, false}});
  const auto [poll, accepted, arrival] = watcher_->TakeAccepted(pair_[0]);
  EXPECT_EQ(poll, 7u);
  EXPECT_EQ(arrival.ticks, 42u);
  EXPECT_EQ(watcher_->TakeAccepted(pair_[0]).poll, 0u);
}

}  // namespace
}  // namespace edgewise
