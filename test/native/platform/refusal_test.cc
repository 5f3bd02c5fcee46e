#include "platform/refusal.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace edgewise {
namespace {

// What the kernel itself answers is nobody's refusal; a call that no kernel has
// is refused by all.
constexpr long kNoSuchCall = 4000;

class StandInCallTest : public ::testing::Test {
 protected:
  StandInCallTest() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_), 0);
    EXPECT_EQ(pipe(pipe_), 0);
  }
  ~StandInCallTest() override {
    for (const int fd : {ends_[0], ends_[1], pipe_[0], pipe_[1]}) close(fd);
  }
  bool Refuses(StandInCall* call, int fd) {
    char byte;
    const long got = syscall(SYS_recvfrom, fd, &byte, 1, 0, nullptr, nullptr);
    const int error = errno;
    const bool refused = call->IsRefusal(got, fd, true);
    if (got < 0) EXPECT_EQ(errno, error) << "the caller still needs it";
    return refused;
  }
  int ends_[2];
  int pipe_[2];
  StandInCall receive_{SYS_recvfrom};
};

TEST_F(StandInCallTest, WhatASocketSaysItselfIsNoRefusal) {
  EXPECT_FALSE(Refuses(&receive_, ends_[0])) << "nothing is there";
  shutdown(ends_[1], SHUT_WR);
  EXPECT_FALSE(Refuses(&receive_, ends_[0])) << "the end";
  EXPECT_FALSE(receive_.refused());
}

TEST_F(StandInCallTest, WhatIsNoSocketIsLeftToTheOtherCall) {
  EXPECT_TRUE(Refuses(&receive_, pipe_[0]));
  EXPECT_FALSE(receive_.refused()) << "sockets go on";
}

TEST_F(StandInCallTest, ARefusalIsRemembered) {
  StandInCall no_such_call(kNoSuchCall);
  char byte;
  EXPECT_FALSE(no_such_call.refused());
  const long got = syscall(kNoSuchCall, ends_[0], &byte, 1);
  EXPECT_TRUE(no_such_call.IsRefusal(got, ends_[0], true));
  EXPECT_EQ(errno, ENOSYS);
  EXPECT_TRUE(no_such_call.refused());
}

TEST_F(StandInCallTest, ProbingLeavesErrnoAlone) {
  errno = EINTR;
  EXPECT_FALSE(receive_.Probe());
  EXPECT_EQ(errno, EINTR);
  EXPECT_TRUE(StandInCall(kNoSuchCall).Probe());
}

}  // namespace
}  // namespace edgewise
