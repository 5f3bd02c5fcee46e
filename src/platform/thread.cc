#include "platform/thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <utility>

namespace edgewise {

std::thread StartHelperThread(const char* name, std::function<void()> body) {
  // The new thread inherits the mask: no signal can arrive in between.
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread(std::move(body));
  pthread_setname_np(thread.native_handle(), name);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

void UsePreciseSleep() { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }

}  // namespace edgewise
