#include "platform/native_look.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

// A signal may come late: what it reads is never freed. The looked-at thread
// writes and reads it; `taken` is under the mutex.
struct Slot {
  NativeLook::Tell tell = nullptr;
  void* target = nullptr;
  bool taken = false;
};
std::array<Slot, 64> slots;
std::mutex mutex;
int signal_number = 0;  // 0: none was found yet; -1: there is none

NativeLook::Registers RegistersOf(const void* context) {
  const auto& at = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto of = [&at](int number) {
    return static_cast<uintptr_t>(at.gregs[number]);
  };
  return {of(REG_RIP), of(REG_RSP), of(REG_RBP)};
#elif defined(__aarch64__)
  return {at.pc, at.sp, at.regs[29]};
#else
  (void)at;
  return {};
#endif
}

void OnSignal(int, siginfo_t* info, void* context) {
  if (info->si_code != SI_QUEUE) return;
  const auto number = static_cast<size_t>(info->si_value.sival_int);
  if (number >= slots.size()) return;
  const Slot& slot = slots[number];
  if (slot.target != nullptr) slot.tell(slot.target, RegistersOf(context));
}

bool IsOurs(int number) {
  struct sigaction found {};
  return sigaction(number, nullptr, &found) == 0 &&
         (found.sa_flags & SA_SIGINFO) != 0 && found.sa_sigaction == &OnSignal;
}

// The last real-time signal that has no handler, and is not blocked here.
int TakeSignal() {
  sigset_t blocked;
  if (pthread_sigmask(SIG_SETMASK, nullptr, &blocked) != 0) return -1;
  for (int number = SIGRTMAX; number >= SIGRTMIN; --number) {
    struct sigaction found {};
    if (sigismember(&blocked, number) != 0 ||
        sigaction(number, nullptr, &found) != 0 ||
        (found.sa_flags & SA_SIGINFO) != 0 || found.sa_handler != SIG_DFL) {
      continue;
    }
    struct sigaction ours {};
    ours.sa_sigaction = &OnSignal;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    if (sigaction(number, &ours, nullptr) == 0) return number;
  }
  return -1;
}

int TakeSlot() {
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken) continue;
    slots[i].taken = true;
    return static_cast<int>(i);
  }
  return -1;
}
}  // namespace

NativeLook::NativeLook(Tell tell, void* target) : thread_(ThreadId()) {
#if !defined(__x86_64__) && !defined(__aarch64__)
  status_ = absl::UnavailableError("not known on this architecture");
  return;
#endif
  const std::string state =
      absl::StrCat("/proc/self/task/", ThreadId(), "/syscall");
  state_fd_ = open(state.c_str(), O_RDONLY | O_CLOEXEC);
  char text[8];
  if (state_fd_ < 0 || pread(state_fd_, text, sizeof(text), 0) <= 0) {
    status_ =
        absl::UnavailableError("the kernel does not say whether a thread runs");
    return;
  }
  const std::lock_guard lock(mutex);
  if (signal_number == 0) signal_number = TakeSignal();
  if (signal_number < 0) {
    status_ = absl::UnavailableError("no signal is free");
    return;
  }
  slot_ = TakeSlot();
  if (slot_ < 0) {
    status_ = absl::UnavailableError(
        absl::StrCat("more than ", slots.size(), " threads are looked at"));
    return;
  }
  Slot& slot = slots[static_cast<size_t>(slot_)];
  slot.tell = tell;
  std::atomic_signal_fence(std::memory_order_release);
  slot.target = target;
}

NativeLook::~NativeLook() {
  if (state_fd_ >= 0) close(state_fd_);
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<size_t>(slot_)];
  slot.target = nullptr;
  std::atomic_signal_fence(std::memory_order_release);
  const std::lock_guard lock(mutex);
  slot.taken = false;
}

void NativeLook::Look() {
  constexpr std::string_view kRuns = "running";
  if (slot_ < 0 || !IsOurs(signal_number)) return;
  char text[kRuns.size()];
  if (pread(state_fd_, text, sizeof(text), 0) !=
          static_cast<ssize_t>(sizeof(text)) ||
      std::string_view(text, sizeof(text)) != kRuns) {
    return;
  }
  // As pthread_sigqueue() does, which musl lacks.
  siginfo_t info{};
  info.si_signo = signal_number;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = slot_;
  syscall(SYS_rt_tgsigqueueinfo, getpid(), thread_, signal_number, &info);
}

}  // namespace edgewise
