#include "platform/termination.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "platform/clock.h"
#include "recorder/recorder.h"
#include "test/native/platform/exit_of_child.h"
#include "test/native/recorder/trace_directory.h"

namespace edgewise {
namespace {

// As of proc(5): 'S' of one that sleeps, 'Z' of one that has ended.
char StateOf(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string stat(std::istreambuf_iterator<char>(file), {});
  return stat.at(stat.rfind(')') + 2);
}

// Runs `body` in a child process that is sent `signal` as soon as it says that
// it is ready and sleeps, and returns the child's wait status. (TSan of GCC 12
// loses signals that arrive on the way from one to the other.)
template <typename Body>
int StatusOfChildSent(int signal, Body body) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    body();
    EXPECT_EQ(write(ready[1], "r", 1), 1);
    const timespec long_time{10, 0};
    nanosleep(&long_time, nullptr);
    nanosleep(&long_time, nullptr);
    _exit(0);
  }
  char byte;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  for (char state = 0; state != 'S' && state != 'Z'; state = StateOf(child)) {
    usleep(1000);
  }
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  close(ready[0]);
  close(ready[1]);
  return status;
}

void RecordOneEvent(const std::string& path, RecordingMode mode) {
  RecorderConfig config;
  config.path = path;
  config.meta_json = "{}";
  config.mode = mode;
  config.flush_ms = 60'000;
  auto recorder = Recorder::Start(config);
  if (!recorder.ok()) _exit(1);
  (*recorder)->PushEvent(2, [](Record& event) {
    event.kind = RecordKind::kEvent;
    event.ticks = Ticks();
  });
  static_cast<void>(recorder->release());  // it dies with the process
}

TEST(TerminationTest, ASignalThatEndsTheProcessHasTheRestWrittenFirst) {
  for (const RecordingMode mode :
       {RecordingMode::kStream, RecordingMode::kFlight}) {
    const TraceDirectory directory;
    const int status = StatusOfChildSent(
        SIGTERM, [&] { RecordOneEvent(directory.file(), mode); });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
    EXPECT_EQ(directory.Read().records.size(), 1u);
  }
}

// The first to finish must not count for the second, however often it looks.
TEST(TerminationTest, EveryRecorderOfTheProcessFinishes) {
  const TraceDirectory quick;
  const TraceDirectory slow;
  const int status = StatusOfChildSent(SIGTERM, [&] {
    RecordOneEvent(quick.file(), RecordingMode::kStream);
    auto* const watch = new TerminationWatch;
    watch->Begin();
    std::thread([&slow, watch] {
      while (!watch->Pending()) usleep(1000);
      usleep(200'000);
      RecordOneEvent(slow.file(), RecordingMode::kStream);
      usleep(50'000);
      watch->Finished();
    }).detach();
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(slow.Read().records.size(), 1u);
}

TEST(TerminationTest, AnApplicationsOwnHandlerIsLeftAlone) {
  const TraceDirectory directory;
  const int status = StatusOfChildSent(SIGTERM, [&] {
    signal(SIGTERM, [](int) { _exit(7); });
    RecordOneEvent(directory.file(), RecordingMode::kStream);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(TerminationTest, TheDispositionIsRestoredWhenRecordingStops) {
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  TerminationWatch watch;
  watch.Begin();
  struct sigaction during {};
  sigaction(SIGHUP, nullptr, &during);
  EXPECT_NE(during.sa_handler, before.sa_handler);
  watch.End();
  struct sigaction after {};
  sigaction(SIGHUP, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

// Finishes for each signal that waits for `watch`, as its thread would.
void FinishAlways(TerminationWatch* watch) {
  std::thread([watch] {
    for (;;) {
      if (watch->Pending()) watch->Finished();
      usleep(1000);
    }
  }).detach();
}

std::atomic<int> handled{0};

// A handler that lets the process live. 0: as of an application, installed
// after ours; SA_RESETHAND: as Node's own, which was there before.
void InstallHandler(int flags = 0) {
  struct sigaction action {};
  action.sa_flags = SA_RESTART | flags;
  action.sa_handler = [](int) { handled.fetch_add(1); };
  sigaction(SIGTERM, &action, nullptr);
}

bool WaitUntil(const std::atomic<int>& value, int wanted) {
  for (int i = 0; i < 500 && value.load() < wanted; ++i) usleep(10'000);
  return value.load() >= wanted;
}

bool IsCaught(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
}

// As PID 1, where Node's handler resets itself and raises the signal in vain.
TEST(TerminationTest, ARecorderGoesOnWhenTheProcessLives) {
  const TraceDirectory directory;
  const int status = ExitOfChild([&] {
    RecorderConfig config;
    config.path = directory.file();
    config.meta_json = "{}";
    config.flush_ms = 60'000;
    InstallHandler(SA_RESETHAND);
    auto recorder = Recorder::Start(config);
    if (!recorder.ok()) return 1;
    const auto push = [&](uint64_t number) {
      (*recorder)->PushEvent(number + 1, [](Record& event) {
        event.kind = RecordKind::kEvent;
        event.ticks = Ticks();
      });
    };
    push(1);
    kill(getpid(), SIGTERM);
    if (!WaitUntil(handled, 1)) return 2;
    push(2);
    if (!(*recorder)->Dump().ok()) return 3;
    TerminationWatch other;
    other.Begin();
    other.End();
    push(3);
    (*recorder)->Stop();
    return handled.load() == 1 ? 0 : 4;
  });
  EXPECT_EQ(status, 0);
  const auto contents = directory.Read();
  EXPECT_EQ(contents.records.size(), 3u);
  EXPECT_EQ(contents.headers.back().kind, ChunkKind::kEnd);
}

// What is still default is caught again, and finished for again.
TEST(TerminationTest, ASignalAfterOneThatWasSurvivedIsTakenToo) {
  const int status = ExitOfChild([] {
    TerminationWatch one;
    TerminationWatch two;
    one.Begin();
    two.Begin();
    kill(getpid(), SIGTERM);
    InstallHandler();
    FinishAlways(&one);
    FinishAlways(&two);
    if (!WaitUntil(handled, 1)) return 1;
    usleep(200'000);
    if (one.Pending() || two.Pending()) return 2;
    return IsCaught(SIGHUP) ? 0 : 3;
  });
  EXPECT_EQ(status, 0);
  const int died = StatusOfChildSent(SIGHUP, [] {
    auto* const watch = new TerminationWatch;
    watch->Begin();
    kill(getpid(), SIGTERM);
    InstallHandler();
    FinishAlways(watch);
    WaitUntil(handled, 1);
    usleep(200'000);
  });
  ASSERT_TRUE(WIFSIGNALED(died));
  EXPECT_EQ(WTERMSIG(died), SIGHUP);
}

// A thread that has not finished ends: the others need not wait for it.
TEST(TerminationTest, TheSignalIsRaisedWhenTheOneThatIsWaitedForEnds) {
  const int status = StatusOfChildSent(SIGTERM, [] {
    auto* const quick = new TerminationWatch;
    auto* const slow = new TerminationWatch;
    quick->Begin();
    slow->Begin();
    FinishAlways(quick);
    std::thread([slow] {
      while (!slow->Pending()) usleep(1000);
      usleep(100'000);
      slow->End();
    }).detach();
  });
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

// One that has finished and ends must not count for the one that has not.
TEST(TerminationTest, AnEndAfterFinishingCountsForNobodyElse) {
  const int status = ExitOfChild([] {
    TerminationWatch quick;
    TerminationWatch slow;
    TerminationWatch slower;
    quick.Begin();
    slow.Begin();
    slower.Begin();
    kill(getpid(), SIGTERM);
    InstallHandler();
    quick.Finished();
    quick.End();
    slow.Finished();
    if (handled.load() != 0) return 1;
    slower.Finished();
    return handled.load() == 1 ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace edgewise
