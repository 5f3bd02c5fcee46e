// Where the watcher runs, and when it is not given a processor.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "platform/clock.h"
#include "recorder/ready_watcher.h"
#include "test/native/platform/sleep_ms.h"
#include "test/native/platform/taken_cpu.h"

namespace edgewise {
namespace {

constexpr int64_t kIntervalNs = 200'000;

// Its helper has the second processor, the calling thread the first.
std::unique_ptr<ReadyWatcher> StartBeside(const std::vector<int>& cpus) {
  UseCpus({cpus[1]});
  auto watcher = ReadyWatcher::Start(kIntervalNs, nullptr);
  EXPECT_TRUE(watcher.ok()) << watcher.status();
  UseCpus({cpus[0]});
  return watcher.ok() ? *std::move(watcher) : nullptr;
}

// The loop has read what has come.
void Take(int fd, ReadyWatcher* watcher) {
  char byte;
  ASSERT_EQ(read(fd, &byte, 1), 1);
  watcher->Consumed(fd, Ticks());
}

struct Looks {
  std::atomic<int> all{0};
  std::atomic<int> on_the_loops{0};
};

// A helper that may run on `cpus`, beside a loop on the first of them that does
// not read what has come. `meanwhile` is called with that descriptor.
template <typename Meanwhile>
void LookBeside(const std::vector<int>& cpus, Looks* looks,
                Meanwhile meanwhile) {
  std::thread([&] {
    UseCpus(cpus);
    auto watcher = ReadyWatcher::Start(kIntervalNs, [&](uint64_t) {
      ++looks->all;
      if (sched_getcpu() == cpus[0]) ++looks->on_the_loops;
      return true;
    });
    ASSERT_TRUE(watcher.ok()) << watcher.status();
    UseCpus({cpus[0]});
    (*watcher)->LoopGoesOn(Ticks(), /*slept=*/false, cpus[0]);
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    (*watcher)->Watch(pair[0]);
    ASSERT_EQ(write(pair[1], "x", 1), 1);
    meanwhile(watcher->get(), pair[0]);
    watcher->reset();
    close(pair[0]);
    close(pair[1]);
  }).join();
}

// Of two processors the loop's is idle and the other one taken: the scheduler
// would have the helper look on the loop's.
TEST(ReadyWatcherPlaceTest, KeepsOffTheProcessorOfABusyLoop) {
  const std::vector<int> cpus = TwoCpus();
  if (cpus.size() < 2) GTEST_SKIP() << "there is one processor";
  const TakenCpu other(cpus[1]);
  Looks looks;
  LookBeside(cpus, &looks, [&](ReadyWatcher*, int) {
    for (int i = 0; i < 500 && looks.all < 20; ++i) SleepMs(10);
  });
  EXPECT_GE(looks.all, 20);
  EXPECT_LE(looks.on_the_loops, 1)
      << "it does not leave before it has looked once";
}

// There is one processor for both: each look would displace the loop.
TEST(ReadyWatcherPlaceTest, LooksRarelyOnTheLoopsOnlyProcessor) {
  Looks looks;
  LookBeside({TwoCpus()[0]}, &looks, [](ReadyWatcher* watcher, int fd) {
    SleepMs(200);
    EXPECT_NE(watcher->ReadySince(fd).since, 0u);
  });
  EXPECT_GE(looks.all, 2);
  EXPECT_LE(looks.all, 150) << "with a rest of 200 us it would be 500";
}

// Three others want the helper's only processor.
TEST(ReadyWatcherPlaceTest, KnowsHowLateItIs) {
  const std::vector<int> cpus = TwoCpus();
  if (cpus.size() < 2) GTEST_SKIP() << "there is one processor";
  std::thread([&] {
    auto watcher = StartBeside(cpus);
    ASSERT_NE(watcher, nullptr);
    const TakenCpu others[] = {TakenCpu(cpus[1]), TakenCpu(cpus[1]),
                               TakenCpu(cpus[1])};
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    watcher->WatchAccepted(pair[0]);
    int bounds = 0;
    for (int i = 0; i < 30; ++i) {
      watcher->LoopGoesOn(Ticks(), /*slept=*/true, cpus[0]);
      SleepMs(20);
      // This thread may be displaced, too.
      const uint64_t before = Ticks();
      ASSERT_EQ(write(pair[1], "x", 1), 1);
      const uint64_t sent = Ticks();
      SleepMs(40);
      const ReadyWatcher::Readiness seen = watcher->ReadySince(pair[0]);
      Take(pair[0], watcher.get());
      if (seen.since == 0 || !seen.sure()) {
        ++bounds;
        continue;
      }
      const uint64_t margin = NsToTicks(4e6);
      EXPECT_GT(seen.since, before - margin) << i;
      EXPECT_LT(seen.since, sent + margin) << i;
    }
    EXPECT_LT(bounds, 25);
    watcher.reset();
    close(pair[0]);
    close(pair[1]);
  }).join();
}

// It ticks, and waits for a processor at each tick: that is not what the edge
// has waited for.
TEST(ReadyWatcherPlaceTest, WhatItWaitedForBeforeIsNoEdges) {
  const std::vector<int> cpus = TwoCpus();
  if (cpus.size() < 2) GTEST_SKIP() << "there is one processor";
  std::thread([&] {
    auto watcher = StartBeside(cpus);
    ASSERT_NE(watcher, nullptr);
    const TakenCpu others[] = {TakenCpu(cpus[1]), TakenCpu(cpus[1])};
    int client[2];
    int backend[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, client), 0);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, backend), 0);
    watcher->WatchAccepted(client[0]);
    watcher->Watch(backend[0]);
    int known = 0;
    int early = 0;
    for (int i = 0; i < 60; ++i) {
      for (int turns = 0; turns < 12; ++turns) {
        watcher->LoopGoesOn(Ticks(), /*slept=*/true, cpus[0]);
        ASSERT_EQ(write(client[1], "x", 1), 1);
        Take(client[0], watcher.get());
        SleepMs(1);
      }
      const uint64_t before = Ticks();
      ASSERT_EQ(write(backend[1], "x", 1), 1);
      SleepMs(20);
      const ReadyWatcher::Readiness seen = watcher->ReadySince(backend[0]);
      Take(backend[0], watcher.get());
      if (seen.since == 0 || !seen.sure()) continue;
      ++known;
      // Else it is only known when it had not come.
      if (seen.from == seen.since && seen.since + NsToTicks(100e3) < before) {
        ++early;
      }
    }
    EXPECT_GT(known, 20);
    EXPECT_LE(early, known / 10);
    watcher.reset();
    for (const int fd : {client[0], client[1], backend[0], backend[1]}) {
      close(fd);
    }
  }).join();
}

}  // namespace
}  // namespace edgewise
