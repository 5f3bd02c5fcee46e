#include "platform/sandbox.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test/native/platform/exit_of_child.h"

namespace edgewise {
namespace {

// What is done to who makes the call.
void Filter(uint32_t number, uint32_t action) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog filter{4, program};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

void Ask() { syscall(SYS_getppid); }

TEST(SandboxTest, WithoutAFilterNothingEndsAProcess) {
  EXPECT_TRUE(OutlivesCall(&Ask));
}

TEST(SandboxTest, ARefusalIsOutlived) {
  EXPECT_EQ(ExitOfChild([] {
              Filter(SYS_getppid, SECCOMP_RET_ERRNO | EPERM);
              return OutlivesCall(&Ask) ? 0 : 1;
            }),
            0);
}

TEST(SandboxTest, AFilterThatEndsTheProcessIsFoundOutByAnother) {
  for (const uint32_t action :
       {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP}) {
    EXPECT_EQ(ExitOfChild([action] {
                static volatile sig_atomic_t told = 0;
                signal(SIGCHLD, [](int) { told = 1; });
                Filter(SYS_getppid, action);
                if (OutlivesCall(&Ask)) return 1;
                return told == 0 ? 0 : 2;
              }),
              0)
        << action;
  }
}

}  // namespace
}  // namespace edgewise
