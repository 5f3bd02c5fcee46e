// What a stranger can send so that the last close of it takes as long as the
// stranger likes: the daemon's loop must not be the one who closes it.

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "boost/daemon/greeting.h"
#include "boost/daemon/local_socket.h"
#include "boost/daemon/protocol.h"
#include "gtest/gtest.h"
#include "test/native/boost/child_process.h"
#include "test/native/boost/daemon_kit.h"

namespace edgewise {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr uid_t kNobody = 65534;
constexpr int kPassRights = 83;  // SO_PASSRIGHTS

// Longer than a test waits.
constexpr int kLingerSeconds = 20;

absl::Status SendWithHello(int to, int passed) {
  const Hello hello{.loop_tid = gettid()};
  const std::array fds = {passed};
  return SendMessage(to, std::as_bytes(std::span(&hello, 1)), fds);
}

std::optional<Verdict> VerdictFrom(int fd) {
  AnswerHead answer;
  const Received received =
      ReceiveMessage(fd, std::as_writable_bytes(std::span(&answer, 1)), 1);
  if (received.what != Received::What::kMessage) return std::nullopt;
  return answer.verdict;
}

// A TCP socket whose last close waits for bytes to be read that nobody reads,
// until the object ends.
class Lingering {
 public:
  Lingering() {
    const OwnedFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener.get(), at, size), 0);
    EXPECT_EQ(listen(listener.get(), 1), 0);
    EXPECT_EQ(getsockname(listener.get(), at, &size), 0);
    writer_ = OwnedFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(writer_.get(), at, size), 0);
    reader_ = OwnedFd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const std::vector<char> bytes(1 << 20);
    while (send(writer_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
    }
    const linger slow{1, kLingerSeconds};
    EXPECT_EQ(
        setsockopt(writer_.get(), SOL_SOCKET, SO_LINGER, &slow, sizeof(slow)),
        0);
  }

  ~Lingering() { LetGo(); }

  // Sends it along with a greeting; then it is open here no longer. In a thread
  // of its own, which waits if the other side has closed it first.
  absl::Status SendTo(int fd) {
    absl::Status sent = SendWithHello(fd, writer_.get());
    closing_ = std::thread([this] { writer_ = OwnedFd(); });
    return sent;
  }
  void AwaitClosed() {
    if (closing_.joinable()) closing_.join();
  }

  // The last close waits no longer.
  void LetGo() {
    reader_ = OwnedFd();
    AwaitClosed();
  }

 private:
  OwnedFd writer_;
  OwnedFd reader_;
  std::thread closing_;
};

// Has the kernel behave as one before 6.16.
void AllowDescriptors(const LocalListener& listener) {
  const int yes = 1;
  setsockopt(listener.fd(), SOL_SOCKET, kPassRights, &yes, sizeof(yes));
}

OwnedFd ConnectedTo(const LocalListener& listener) {
  sockaddr_un address{};
  socklen_t size = sizeof(address);
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(getsockname(listener.fd(), at, &size), 0);
  OwnedFd made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(made.get(), at, size), 0);
  return made;
}

void ExpectServed(RunningDaemon& daemon, Actuator& client) {
  for (const Level level : {Level::kHigh, Level::kLow, Level::kMid}) {
    EXPECT_TRUE(client.Set(level).ok());
    EXPECT_TRUE(Eventually([&] { return daemon.asked().last() == level; }));
  }
}

TEST(DaemonBlockingTest, DescriptorsCannotBeSent) {
  RunningDaemon daemon;
  const auto socket = ConnectTo(daemon.socket(), kSecondNs);
  ASSERT_TRUE(socket.ok()) << socket.status();
  const int no = 0;
  if (setsockopt(socket->get(), SOL_SOCKET, kPassRights, &no, sizeof(no)) !=
      0) {
    GTEST_SKIP() << "a kernel before 6.16";
  }
  EXPECT_TRUE(
      absl::IsPermissionDenied(SendWithHello(socket->get(), STDIN_FILENO)));
}

TEST(DaemonBlockingTest, DescriptorsThatAreSentAreClosed) {
  RunningDaemon daemon({.before = AllowDescriptors});
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const OwnedFd reader(ends[0]);
  const auto socket = ConnectTo(daemon.socket(), kSecondNs);
  ASSERT_TRUE(socket.ok()) << socket.status();
  {
    const OwnedFd writer(ends[1]);
    ASSERT_TRUE(SendWithHello(socket->get(), writer.get()).ok());
  }
  char byte;
  EXPECT_EQ(read(reader.get(), &byte, 1), 0);  // the last writer has gone
  EXPECT_EQ(VerdictFrom(socket->get()), Verdict::kGarbage);
}

TEST(DaemonBlockingTest, AGreetingThatBringsASlowClose) {
  Lingering slow;
  OwnedFd socket;
  DaemonSetup setup;
  setup.before = [&](const LocalListener& listener) {
    AllowDescriptors(listener);
    socket = ConnectedTo(listener);
    EXPECT_TRUE(slow.SendTo(socket.get()).ok());
    slow.AwaitClosed();
  };
  RunningDaemon daemon(setup);
  const auto honest = daemon.Client();
  ASSERT_TRUE(honest.ok()) << honest.status();
  EXPECT_EQ(VerdictFrom(socket.get()), Verdict::kGarbage);
  char byte;
  EXPECT_LE(recv(socket.get(), &byte, 1, 0), 0) << "the end";
  ExpectServed(daemon, **honest);
  slow.LetGo();  // else the daemon's end would wait
}

TEST(DaemonBlockingTest, AWelcomedClientThatSendsOne) {
  Lingering slow;
  RunningDaemon daemon({.before = AllowDescriptors});
  const auto honest = daemon.Client();
  ASSERT_TRUE(honest.ok()) << honest.status();
  const Hello hello{.loop_tid = gettid()};
  Welcome welcome;
  const auto greeted = Greet(daemon.socket(), hello,
                             std::as_writable_bytes(std::span(&welcome, 1)), 2);
  ASSERT_TRUE(greeted.ok()) << greeted.status();
  ASSERT_TRUE(slow.SendTo(greeted->socket.get()).ok());
  char byte;
  EXPECT_LE(recv(greeted->socket.get(), &byte, 1, 0), 0) << "expelled";
  ExpectServed(daemon, **honest);
  slow.LetGo();
}

// It is not even in the list, and has sent before it was accepted.
TEST(DaemonBlockingTest, AStrangerThatSendsBeforeItIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  std::unique_ptr<ChildProcess> stranger;
  DaemonSetup setup;
  setup.before = [&](const LocalListener& listener) {
    AllowDescriptors(listener);
    int sent[2];
    ASSERT_EQ(pipe(sent), 0);
    stranger = std::make_unique<ChildProcess>([&] {
      Lingering slow;
      if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(1);
      const OwnedFd socket = ConnectedTo(listener);
      if (!slow.SendTo(socket.get()).ok()) _exit(1);
      slow.AwaitClosed();
      if (write(sent[1], "s", 1) == 1) pause();
    });
    close(sent[1]);
    char byte;
    EXPECT_EQ(read(sent[0], &byte, 1), 1);
    close(sent[0]);
  };
  RunningDaemon daemon(setup);
  const auto honest = daemon.Client();
  ASSERT_TRUE(honest.ok()) << honest.status();
  ExpectServed(daemon, **honest);
  stranger->Kill();
}

}  // namespace
}  // namespace edgewise
