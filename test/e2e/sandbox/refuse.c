// A library whose loading puts the process into a sandbox: for all of its threads the kernel answers the system calls
// that REFUSED_CALLS names ("recvmsg=1,setsockopt:35=38": name=errno, or name:third argument=errno) with that errno, and
// does nothing; with 999 it ends the process.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kMost = 32, kSteps = 5, kKill = 999 };

static const struct {
  const char* name;
  unsigned number;
} kCalls[] = {
    {"recvmsg", SYS_recvmsg},
    {"recvfrom", SYS_recvfrom},
    {"sendto", SYS_sendto},
    {"sendmsg", SYS_sendmsg},
    {"setsockopt", SYS_setsockopt},
    {"getsockopt", SYS_getsockopt},
    {"epoll_create1", SYS_epoll_create1},
    {"eventfd2", SYS_eventfd2},
    {"process_vm_readv", SYS_process_vm_readv},
    {"openat", SYS_openat},
    {"pipe2", SYS_pipe2},
    {"madvise", SYS_madvise},
    {"prctl", SYS_prctl},
    {"perf_event_open", SYS_perf_event_open},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"sched_setscheduler", SYS_sched_setscheduler},
    {"clock_nanosleep", SYS_clock_nanosleep},
    {"kill", SYS_kill},
    {"tgkill", SYS_tgkill},
    {"newfstatat", SYS_newfstatat},
    {"fstat", SYS_fstat},
    {"lseek", SYS_lseek},
    {"ftruncate", SYS_ftruncate},
    {"fallocate", SYS_fallocate},
    {"mremap", SYS_mremap},
    {"ppoll", SYS_ppoll},
    {"pread64", SYS_pread64},
    {"getrandom", SYS_getrandom},
    {"rt_sigaction", SYS_rt_sigaction},
    {"socketpair", SYS_socketpair},
    {"socket", SYS_socket},
    {"io_uring_setup", SYS_io_uring_setup},
    {"pidfd_open", SYS_pidfd_open},
    {"clone3", SYS_clone3},
#ifdef SYS_close_range
    {"close_range", SYS_close_range},
#endif
#ifdef SYS_openat2
    {"openat2", SYS_openat2},
    {"pidfd_getfd", SYS_pidfd_getfd},
#endif
#ifdef SYS_faccessat2
    {"faccessat2", SYS_faccessat2},
#endif
#ifdef SYS_epoll_pwait2
    {"epoll_pwait2", SYS_epoll_pwait2},
#endif
#ifdef SYS_process_madvise
    {"process_madvise", SYS_process_madvise},
#endif
#ifdef SYS_poll
    {"poll", SYS_poll},
#endif
#ifdef SYS_epoll_wait
    {"epoll_wait", SYS_epoll_wait},
#endif
};

// A number that no call has, where this machine has no such one.
static unsigned NumberOf(const char* name, size_t length) {
  for (size_t i = 0; i < sizeof(kCalls) / sizeof(kCalls[0]); ++i) {
    if (strlen(kCalls[i].name) == length && memcmp(kCalls[i].name, name, length) == 0) return kCalls[i].number;
  }
  return 0xffff;
}

__attribute__((constructor)) static void Enter(void) {
  struct sock_filter filter[kSteps * kMost + 2];
  unsigned short n = 0;
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  char* text = getenv("REFUSED_CALLS");
  while (text != NULL && *text != '\0' && n < kSteps * kMost) {
    const size_t length = strcspn(text, ":=");
    const unsigned number = NumberOf(text, length);
    const int narrow = text[length] == ':';
    const unsigned third = narrow ? (unsigned)strtol(text + length + 1, &text, 10) : 0;
    const unsigned error = (unsigned)strtol(narrow ? text + 1 : text + length + 1, &text, 10);
    if (*text == ',') ++text;
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, narrow ? 4 : 1);
    if (narrow) {
      filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]));
      filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, third, 0, 1);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, error == kKill ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | error);
    if (narrow) {
      filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    }
  }
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {n, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
    perror("seccomp");
    _exit(9);
  }
}
