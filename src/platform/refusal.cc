#include "platform/refusal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace edgewise {
namespace {

// What connections say of themselves, again and again.
bool IsOfConnections(int error) {
  return error == EAGAIN || error == EINTR || error == EPIPE ||
         error == ECONNRESET || error == ETIMEDOUT || error == ENOTCONN;
}

}  // namespace

bool StandInCall::Probe() {
  const int error = errno;
  const long result = syscall(number_, -1, nullptr, 0, 0, nullptr, 0);
  const bool refuses = result != -1 || errno != EBADF;
  if (refuses) refused_.store(true, std::memory_order_relaxed);
  errno = error;
  return refuses;
}

bool StandInCall::IsRefusal(ssize_t result, int fd, bool wanted) {
  if (result == 0) return wanted && Probe();
  const int error = errno;
  if (IsOfConnections(error)) return false;
  if (Probe()) return true;
  // The filter says what the kernel says of a descriptor that is none.
  if (error == EBADF && fcntl(fd, F_GETFD) >= 0) {
    refused_.store(true, std::memory_order_relaxed);
  }
  errno = error;
  // The other call has its own word on each of these.
  return error == EBADF || error == ENOTSOCK || error == EPERM ||
         error == ENOSYS;
}

}  // namespace edgewise
