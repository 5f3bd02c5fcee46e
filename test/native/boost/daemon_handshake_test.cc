// What a client, honest or not, can say to the daemon before and after it was
// admitted.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "boost/daemon/boostd_status.h"
#include "boost/daemon/client_memory.h"
#include "boost/daemon/greeting.h"
#include "boost/daemon/local_socket.h"
#include "boost/daemon/protocol.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/native/boost/daemon_kit.h"

namespace edgewise {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr uid_t kNobody = 65534;

template <typename Message>
std::span<const std::byte> BytesOf(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}

BoostdStatus StatusOf(const RunningDaemon& daemon) {
  const auto status = AskStatus(daemon.socket());
  EXPECT_TRUE(status.ok()) << status.status();
  return status.value_or(BoostdStatus{});
}

// The verdict on a message; nullopt: none came.
std::optional<Verdict> VerdictOn(const RunningDaemon& daemon,
                                 std::span<const std::byte> message) {
  const auto socket = ConnectTo(daemon.socket(), kSecondNs);
  if (!socket.ok()) return std::nullopt;
  EXPECT_TRUE(SendMessage(socket->get(), message).ok());
  Welcome welcome;
  const Received received = ReceiveMessage(
      socket->get(), std::as_writable_bytes(std::span(&welcome, 1)), 2);
  if (received.what != Received::What::kMessage) return std::nullopt;
  return welcome.head.verdict;
}

// A client that keeps to nothing: it holds what the daemon has given it.
struct RawClient {
  explicit RawClient(const RunningDaemon& daemon) {
    const Hello hello{.loop_tid = gettid()};
    auto greeted = Greet(daemon.socket(), hello,
                         std::as_writable_bytes(std::span(&welcome, 1)), 2);
    EXPECT_TRUE(greeted.ok()) << greeted.status();
    socket = std::move(greeted->socket);
    memory = std::move(greeted->received.fds[0]);
    doorbell = std::move(greeted->received.fds[1]);
    auto mapped = MapClientMemory(memory.get());
    EXPECT_TRUE(mapped.ok()) << mapped.status();
    page = *std::move(mapped);
  }

  void Write(uint64_t word) {
    page->request.store(word);
    Ring();
  }
  void Ring() { eventfd_write(doorbell.get(), 1); }
  bool IsDropped() {
    char byte;
    return Eventually([&] {
      return recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    });
  }

  Welcome welcome;
  OwnedFd socket;
  OwnedFd memory;
  OwnedFd doorbell;
  MappedClientPage page;
};

constexpr uint64_t WordOf(Level level, uint64_t sequence) {
  return PackLevel({level, sequence});
}

TEST(DaemonHandshakeTest, AClientIsToldWhatItGets) {
  RunningDaemon daemon({.limits = {.max_level = Level::kMid}});
  RawClient client(daemon);
  EXPECT_EQ(client.welcome.max_level, 1u);
  EXPECT_EQ(client.welcome.frequencies_khz[2], 4'000'000u);
  EXPECT_EQ(client.welcome.domains, 1u);
  EXPECT_STREQ(client.welcome.actuator.data(), "a test's actuator");
  const uint64_t began = Ticks();
  client.Write(WordOf(Level::kHigh, 77));
  ASSERT_TRUE(Eventually([&] { return client.page->granted.load() != 0; }));
  EXPECT_EQ(client.page->granted.load(), WordOf(Level::kMid, 77));
  // The actuator's 20 us follow the call.
  EXPECT_GE(client.page->done_ticks.load(), began + NsToTicks(20'000));
  EXPECT_EQ(daemon.asked().last(), Level::kMid);
}

TEST(DaemonHandshakeTest, PlacesAreMadeForEveryoneToReach) {
  RunningDaemon daemon;
  struct stat info {};
  ASSERT_EQ(stat(daemon.socket().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0666u);
  ASSERT_EQ(stat((daemon.directory().path() + "/run").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755u);
  EXPECT_TRUE(
      absl::IsAlreadyExists(LocalListener::At(daemon.socket()).status()));
  daemon.Stop();
  EXPECT_NE(stat(daemon.socket().c_str(), &info), 0);
}

TEST(DaemonHandshakeTest, AStaleSocketIsReplacedAFileIsNot) {
  const DaemonDirectory directory;
  const std::string path = directory.path() + "/stale";
  {
    const auto listener = LocalListener::At(path);
    ASSERT_TRUE(listener.ok());
    ASSERT_EQ(link(path.c_str(), (path + "2").c_str()), 0);
  }
  EXPECT_TRUE(LocalListener::At(path + "2").ok());
  const OwnedFd file(creat(path.c_str(), 0600));
  EXPECT_TRUE(absl::IsAlreadyExists(LocalListener::At(path).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      LocalListener::At(std::string(108, 'x')).status()));
}

TEST(DaemonHandshakeTest, AUserNotInTheListIsRefused) {
  RunningDaemon daemon({.options = {.allowed_users = {geteuid() + 1}}});
  const auto client = daemon.Client();
  ASSERT_TRUE(absl::IsPermissionDenied(client.status())) << client.status();
  EXPECT_THAT(std::string(client.status().message()),
              HasSubstr("--allow-user " + std::to_string(geteuid())));
  EXPECT_TRUE(absl::IsPermissionDenied(AskStatus(daemon.socket()).status()));
  daemon.Stop();
  EXPECT_THAT(daemon.directory().LogText(), HasSubstr("not in the allow list"));
}

// What `body` returns in a process of the user nobody.
int AsNobody(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(99);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(DaemonHandshakeTest, CredentialsAreTheKernels) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  RunningDaemon strict;
  const auto code = [](const RunningDaemon& daemon) {
    return
        [&daemon] { return static_cast<int>(daemon.Client().status().code()); };
  };
  EXPECT_EQ(AsNobody(code(strict)),
            static_cast<int>(absl::StatusCode::kPermissionDenied));
  RunningDaemon open({.options = {.allowed_users = {kNobody}}});
  EXPECT_EQ(AsNobody(code(open)), 0);
  EXPECT_EQ(StatusOf(strict).refused[static_cast<size_t>(Verdict::kUser)], 1u);
}

TEST(DaemonHandshakeTest, ADaemonOfAnotherUserIsNotTrusted) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const DaemonDirectory directory;
  ASSERT_EQ(chmod(directory.path().c_str(), 0777), 0);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(1);
    const auto listener = LocalListener::At(directory.socket());
    if (write(ready[1], "r", 1) == 1) pause();
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto client = RunningDaemon::ClientOf(directory.socket());
  EXPECT_TRUE(absl::IsPermissionDenied(client.status())) << client.status();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST(DaemonHandshakeTest, GarbageIsRefusedAndTheDaemonServesOn) {
  RunningDaemon daemon;
  const auto honest = daemon.Client();
  ASSERT_TRUE(honest.ok()) << honest.status();
  const std::vector<std::byte> garbage(100'000, std::byte{0x5a});
  for (const size_t size : {size_t{1}, sizeof(Hello) - 1, sizeof(Hello),
                            sizeof(Hello) + 1, garbage.size()}) {
    EXPECT_EQ(VerdictOn(daemon, std::span(garbage).first(size)),
              Verdict::kGarbage)
        << size;
  }
  EXPECT_EQ(VerdictOn(daemon, BytesOf(Hello{.version = 2})), Verdict::kVersion);
  EXPECT_EQ(VerdictOn(daemon, BytesOf(Hello{.kind = HelloKind{9}})),
            Verdict::kGarbage);
  EXPECT_EQ(VerdictOn(daemon, BytesOf(Hello{.loop_tid = 1})), Verdict::kThread);
  EXPECT_EQ(VerdictOn(daemon, BytesOf(Hello{.loop_tid = -1})),
            Verdict::kThread);
  EXPECT_EQ(VerdictOn(daemon, BytesOf(Hello{.loop_tid = gettid(),
                                            .frequencies_khz = {2, 1, 3}})),
            Verdict::kFrequencies);
  EXPECT_TRUE((*honest)->Set(Level::kHigh).ok());
  EXPECT_TRUE(
      Eventually([&] { return daemon.asked().last() == Level::kHigh; }));
  const BoostdStatus status = StatusOf(daemon);
  EXPECT_EQ(status.clients, 1u);
  EXPECT_EQ(status.refused[static_cast<size_t>(Verdict::kGarbage)], 6u);
  EXPECT_EQ(status.refused[static_cast<size_t>(Verdict::kThread)], 2u);
}

TEST(DaemonHandshakeTest, WhoDoesNotSayAWordIsDropped) {
  DaemonSetup setup;
  setup.options.hello_timeout_ns = 50'000'000;
  RunningDaemon daemon(setup);
  const int64_t began_ns = MonotonicNs();
  const auto silent = ConnectTo(daemon.socket(), 5 * kSecondNs);
  ASSERT_TRUE(silent.ok());
  char byte;
  EXPECT_EQ(recv(silent->get(), &byte, 1, 0), 0);
  EXPECT_GE(MonotonicNs() - began_ns, 50'000'000);
  EXPECT_EQ(StatusOf(daemon).timeouts, 1u);
  // Who was admitted may be silent as long as it likes.
  RawClient client(daemon);
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  EXPECT_EQ(StatusOf(daemon).clients, 1u);
}

// Processor time of the whole process, ns.
int64_t CpuNs() {
  timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

TEST(DaemonHandshakeTest, ADaemonWithNothingToDoSleeps) {
  DaemonSetup setup;
  setup.options.hello_timeout_ns = 10'000'000;
  RunningDaemon daemon(setup);
  const auto silent = ConnectTo(daemon.socket(), 5 * kSecondNs);
  RawClient client(daemon);
  client.Write(WordOf(Level::kHigh, 1));
  ASSERT_TRUE(Eventually([&] { return StatusOf(daemon).timeouts == 1; }));
  const int64_t before_ns = CpuNs();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(CpuNs() - before_ns, 20'000'000);
}

TEST(DaemonHandshakeTest, AFloodOfConnectionsHarmsNobody) {
  DaemonSetup setup;
  setup.options.max_connections_of_user = 10;
  RunningDaemon daemon(setup);
  const auto honest = daemon.Client();
  ASSERT_TRUE(honest.ok()) << honest.status();
  std::vector<OwnedFd> flood;
  for (int i = 0; i < 300; ++i) {
    auto socket = ConnectTo(daemon.socket(), kSecondNs);
    ASSERT_TRUE(socket.ok()) << socket.status();
    flood.push_back(*std::move(socket));
  }
  ASSERT_TRUE((*honest)->Set(Level::kHigh).ok());
  EXPECT_TRUE(
      Eventually([&] { return daemon.asked().last() == Level::kHigh; }));
  EXPECT_TRUE(absl::IsUnavailable(daemon.Client().status()));
  flood.clear();
  EXPECT_TRUE(Eventually([&] { return daemon.Client().ok(); }));
  EXPECT_GE(StatusOf(daemon).refused[static_cast<size_t>(Verdict::kFull)],
            291u);
  daemon.Stop();
  const std::string log = daemon.directory().LogText();
  EXPECT_THAT(log, HasSubstr("there are too many clients"));
  EXPECT_LE(std::ranges::count(log, '\n'), 60);
}

TEST(DaemonHandshakeTest, WhatIsNoRequestExpels) {
  RunningDaemon daemon;
  RawClient talker(daemon);
  EXPECT_TRUE(SendMessage(talker.socket.get(), BytesOf(Hello{})).ok());
  EXPECT_TRUE(talker.IsDropped());
  RawClient liar(daemon);
  liar.Write(WordOf(Level::kHigh, 1));
  EXPECT_TRUE(
      Eventually([&] { return daemon.asked().last() == Level::kHigh; }));
  liar.Write(0xffff);
  EXPECT_TRUE(liar.IsDropped());
  EXPECT_EQ(daemon.asked().last(), Level::kLow);
  EXPECT_EQ(StatusOf(daemon).expelled, 2u);
}

TEST(DaemonHandshakeTest, AClientReachesItsOwnPageOnly) {
  RunningDaemon daemon;
  RawClient one(daemon);
  RawClient other(daemon);
  struct stat first {};
  struct stat second {};
  ASSERT_EQ(fstat(one.memory.get(), &first), 0);
  ASSERT_EQ(fstat(other.memory.get(), &second), 0);
  EXPECT_NE(first.st_ino, second.st_ino);
  EXPECT_EQ(first.st_size, off_t{kClientMemoryBytes});
  // Cutting it would end the daemon at its next look.
  EXPECT_EQ(ftruncate(one.memory.get(), 0), -1);
  EXPECT_EQ(ftruncate(one.memory.get(), 1 << 20), -1);
  EXPECT_EQ(fcntl(one.memory.get(), F_ADD_SEALS, F_SEAL_WRITE), -1);
  // All that it can write: the other's answers and requests stay.
  other.Write(WordOf(Level::kMid, 5));
  ASSERT_TRUE(Eventually([&] { return other.page->granted.load() != 0; }));
  std::memset(static_cast<void*>(one.page.get()), 0xff, kClientMemoryBytes);
  one.Ring();
  EXPECT_TRUE(one.IsDropped());
  EXPECT_EQ(other.page->granted.load(), WordOf(Level::kMid, 5));
  EXPECT_EQ(daemon.asked().last(), Level::kMid);
}

TEST(DaemonHandshakeTest, MemoryThatCouldShrinkIsNotMapped) {
  const OwnedFd unsealed(memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(unsealed.get(), kClientMemoryBytes), 0);
  EXPECT_TRUE(
      absl::IsFailedPrecondition(MapClientMemory(unsealed.get()).status()));
}

TEST(DaemonHandshakeTest, RingingWithoutEndCostsNobodyElse) {
  RunningDaemon daemon({.limits = {.min_interval_ns = 1'000'000}});
  RawClient noisy(daemon);
  const auto honest = daemon.Client();
  ASSERT_TRUE(honest.ok()) << honest.status();
  std::atomic<bool> stop{false};
  std::thread ringer([&] {
    for (uint64_t i = 1; !stop; ++i) {
      // Also new words, which change nothing.
      noisy.Write(WordOf(Level::kLow, i));
    }
  });
  EXPECT_TRUE(Eventually([&] { return StatusOf(daemon).throttled > 0; }));
  for (const Level level : {Level::kHigh, Level::kLow}) {
    EXPECT_TRUE((*honest)->Set(level).ok());
    EXPECT_TRUE(Eventually([&] { return daemon.asked().last() == level; }));
  }
  stop = true;
  ringer.join();
  // It is heard again, once it has waited.
  noisy.Write(WordOf(Level::kMid, 1'000'000'000));
  EXPECT_TRUE(Eventually([&] { return daemon.asked().last() == Level::kMid; }));
}

TEST(DaemonHandshakeTest, TheStatusCounts) {
  RunningDaemon daemon;
  const auto client = daemon.Client();
  ASSERT_TRUE(client.ok()) << client.status();
  for (const Level level : {Level::kHigh, Level::kLow, Level::kMid}) {
    EXPECT_TRUE((*client)->Set(level).ok());
    EXPECT_TRUE(Eventually([&] { return daemon.asked().last() == level; }));
  }
  BoostdStatus status = StatusOf(daemon);
  EXPECT_EQ(status.clients, 1u);
  EXPECT_EQ(status.requests, 3u);
  EXPECT_EQ(status.boosts, 2u);
  EXPECT_GT(status.level_ns[1], 0);
  EXPECT_THAT(StatusAsPrometheus(status),
              HasSubstr("\nedgewise_boostd_boosts_total 2\n"));
  status.level_ns[2] = 12'345'000'678'000;
  EXPECT_THAT(StatusAsPrometheus(status),
              HasSubstr("{level=\"high\"} 12345.000678000\n"));
  EXPECT_THAT(StatusAsJson(status), HasSubstr("\"clients\":1,"));
}

}  // namespace
}  // namespace edgewise
