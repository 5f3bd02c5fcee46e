#include "platform/termination.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "platform/clock.h"
#include "recorder/recorder.h"
#include "test/native/recorder/trace_directory.h"

namespace edgewise {
namespace {

// Runs `body` in a child process that is sent `signal` as soon as it says that
// it is ready, and returns the child's wait status.
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
    BeginTerminationWatch();
    std::thread([&] {
      while (!TerminationPending()) usleep(1000);
      usleep(200'000);
      RecordOneEvent(slow.file(), RecordingMode::kStream);
      usleep(50'000);
      TerminationFinished();
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
  BeginTerminationWatch();
  struct sigaction during {};
  sigaction(SIGHUP, nullptr, &during);
  EXPECT_NE(during.sa_handler, before.sa_handler);
  EndTerminationWatch();
  struct sigaction after {};
  sigaction(SIGHUP, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

}  // namespace
}  // namespace edgewise
