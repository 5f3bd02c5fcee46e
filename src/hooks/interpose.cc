#include "hooks/interpose.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "hooks/arrival.h"
#include "hooks/direct_io.h"
#include "hooks/import_table.h"
#include "hooks/work_names.h"
#include "platform/termination.h"

namespace edgewise {
namespace {

// Initial-exec: one load on the path of every read, no call to the loader.
thread_local SystemCallObserver* observer
    __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local LoopObserver* loop_observer
    __attribute__((tls_model("initial-exec"))) = nullptr;

// Of epoll_pwait(2), whose caller counts the bytes of a set of signals.
constexpr size_t kKernelMaskBytes = _NSIG / 8;

template <typename Call>
[[gnu::hot]] int ObservedPoll(int epoll_fd, const epoll_event* events,
                              int timeout, Call call) {
  SystemCallObserver* const self = observer;
  if (self == nullptr) return call();
  self->BeforePoll(epoll_fd);
  const int count = call();
  self->AfterPoll(epoll_fd, /*may_wait=*/timeout != 0, events, count);
  return count;
}

template <typename Call>
int Poll(int epoll_fd, const epoll_event* events, int timeout, Call call) {
  LoopObserver* const loop = loop_observer;
  if (loop == nullptr) return ObservedPoll(epoll_fd, events, timeout, call);
  loop->BeforePoll(epoll_fd);
  const int count = ObservedPoll(epoll_fd, events, timeout, call);
  loop->AfterPoll(epoll_fd, events, count);
  return count;
}

[[gnu::hot]] int EpollPwait(int fd, epoll_event* events, int max, int timeout,
                            const sigset_t* mask) {
  return Poll(fd, events, timeout, [&] {
    return static_cast<int>(syscall(SYS_epoll_pwait, fd, events, max, timeout,
                                    mask, kKernelMaskBytes));
  });
}

// By the call that glibc makes: a sandbox may know only that one.
int EpollWait(int fd, epoll_event* events, int max, int timeout) {
#ifdef SYS_epoll_wait
  return Poll(fd, events, timeout, [&] {
    return static_cast<int>(syscall(SYS_epoll_wait, fd, events, max, timeout));
  });
#else
  return EpollPwait(fd, events, max, timeout, nullptr);
#endif
}

[[gnu::hot]] ssize_t Read(int fd, void* data, size_t size) {
  if (LoopObserver* const loop = loop_observer) loop->BeforeReceive(fd);
  SystemCallObserver* const self = observer;
  if (self == nullptr) return DirectRead(fd, data, size);
  using Reading = SystemCallObserver::Reading;
  const Reading reading = self->BeforeRead(fd);
  if (reading == Reading::kUnseen) return DirectRead(fd, data, size);
  if (reading == Reading::kStamped) {
    int64_t arrival_ns = 0;
    const ssize_t bytes = ReadStamped(fd, data, size, &arrival_ns);
    if (bytes >= 0 || errno != ENOTSOCK) [[likely]] {
      self->AfterStampedRead(fd, arrival_ns, data, bytes);
      return bytes;
    }
    self->NotASocket(fd);
  }
  self->BeforeOtherRead(fd);
  const ssize_t bytes = DirectRead(fd, data, size);
  self->AfterOtherRead(fd, data, bytes);
  return bytes;
}

// Takes nothing of what lies there: Node looks so whether a connection that it
// has kept still lives, before it asks there again.
bool OnlyLooks(int flags) { return (flags & MSG_PEEK) != 0; }

template <typename Call>
auto Receive(int fd, Call call) {
  if (LoopObserver* const loop = loop_observer) loop->BeforeReceive(fd);
  SystemCallObserver* const self = observer;
  if (self == nullptr) return call();
  self->BeforeReceive(fd);
  const auto result = call();
  self->AfterReceive(fd);
  return result;
}

ssize_t RecvMsg(int fd, msghdr* message, int flags) {
  if (OnlyLooks(flags)) return recvmsg(fd, message, flags);
  return Receive(fd, [&] { return recvmsg(fd, message, flags); });
}

int RecvMMsg(int fd, mmsghdr* messages, unsigned count, int flags,
             timespec* timeout) {
  return Receive(fd,
                 [&] { return recvmmsg(fd, messages, count, flags, timeout); });
}

ssize_t RecvFrom(int fd, void* data, size_t size, int flags, sockaddr* address,
                 socklen_t* length) {
  if (OnlyLooks(flags)) return recvfrom(fd, data, size, flags, address, length);
  SystemCallObserver* const self = observer;
  if (self != nullptr && self->ReceivesNames(fd)) {
    return Receive(fd, [&] {
      int64_t arrival_ns = 0;
      const ssize_t bytes =
          ReceiveStamped(fd, data, size, flags, address, length, &arrival_ns);
      const int error = errno;
      self->AfterNamesReceived(fd, data, bytes, arrival_ns);
      errno = error;
      return bytes;
    });
  }
  return Receive(
      fd, [&] { return recvfrom(fd, data, size, flags, address, length); });
}

ssize_t Recv(int fd, void* data, size_t size, int flags) {
  return RecvFrom(fd, data, size, flags, nullptr, nullptr);
}

// Node's streams are written to otherwise.
ssize_t SendTo(int fd, const void* data, size_t size, int flags,
               const sockaddr* address, socklen_t length) {
  const ssize_t bytes = sendto(fd, data, size, flags, address, length);
  if (observer != nullptr && bytes > 0) {
    observer->AfterNamesSent(fd, data, static_cast<size_t>(bytes));
  }
  return bytes;
}

ssize_t Send(int fd, const void* data, size_t size, int flags) {
  return SendTo(fd, data, size, flags, nullptr, 0);
}

int Accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  const int connection =
      Receive(fd, [&] { return accept4(fd, address, length, flags); });
  if (connection >= 0) NoteStreamSocket(connection);
  if (observer != nullptr) observer->AfterAccept(fd, connection);
  return connection;
}

ssize_t Sent(int fd, const void* data, size_t size, ssize_t bytes) {
  SystemCallObserver* const self = observer;
  if (self != nullptr) self->AfterWrite(fd, data, size, bytes);
  return bytes;
}

[[gnu::hot]] ssize_t Write(int fd, const void* data, size_t size) {
  return Sent(fd, data, size, DirectWrite(fd, data, size));
}

[[gnu::hot]] ssize_t WriteV(int fd, const iovec* parts, int count) {
  const ssize_t bytes = DirectWriteV(fd, parts, count);
  const iovec first = count > 0 ? parts[0] : iovec{};
  return Sent(fd, first.iov_base, first.iov_len, bytes);
}

int Connect(int fd, const sockaddr* address, socklen_t length) {
  const int result = connect(fd, address, length);
  SystemCallObserver* const self = observer;
  if (self != nullptr && (result == 0 || errno == EINPROGRESS)) {
    const int error = errno;
    self->AfterConnect(fd, address, length);
    errno = error;
  }
  return result;
}

int GetSockOpt(int fd, int level, int option, void* value, socklen_t* length) {
  if (SystemCallObserver* const self = observer;
      self != nullptr && level == SOL_SOCKET && option == SO_ERROR) {
    self->BeforeSocketError(fd);
  }
  return getsockopt(fd, level, option, value, length);
}

int Close(int fd) {
  if (SystemCallObserver* const self = observer) self->BeforeClose(fd);
  return close(fd);
}

// libuv closes by this, so that no thread is cancelled in it. Arguments that
// there are not are whatever the caller left there; the kernel takes none.
long Syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_close) {
    if (SystemCallObserver* const self = observer) {
      self->BeforeClose(static_cast<int>(a));
    }
  }
  return syscall(number, a, b, c, d, e, f);
}

// Only the call's third argument is optional, and undefined then.
int OpenFile(const char* path, int flags, mode_t mode) {
  const int fd = open(path, flags, mode);
  NoteFileOpened(fd);
  return fd;
}

int OpenFile64(const char* path, int flags, mode_t mode) {
  return OpenFile(path, flags | O_LARGEFILE, mode);
}

// libuv leaves the system's default behind when the last listener of a signal
// goes.
int SigAction(int signal, const struct sigaction* action,
              struct sigaction* previous) {
  const int result = sigaction(signal, action, previous);
  if (result == 0 && action != nullptr && action->sa_handler == SIG_DFL) {
    TerminationWatch::CatchAgain();
  }
  return result;
}

const Replacement kReplacements[] = {
    {"epoll_pwait", reinterpret_cast<void*>(&EpollPwait)},
    {"epoll_wait", reinterpret_cast<void*>(&EpollWait)},
    {"read", reinterpret_cast<void*>(&Read)},
    {"recvmsg", reinterpret_cast<void*>(&RecvMsg)},
    {"recvmmsg", reinterpret_cast<void*>(&RecvMMsg)},
    {"recvfrom", reinterpret_cast<void*>(&RecvFrom)},
    {"recv", reinterpret_cast<void*>(&Recv)},
    {"send", reinterpret_cast<void*>(&Send)},
    {"sendto", reinterpret_cast<void*>(&SendTo)},
    {"accept4", reinterpret_cast<void*>(&Accept4)},
    {"write", reinterpret_cast<void*>(&Write)},
    {"writev", reinterpret_cast<void*>(&WriteV)},
    {"connect", reinterpret_cast<void*>(&Connect)},
    {"getsockopt", reinterpret_cast<void*>(&GetSockOpt)},
    {"open", reinterpret_cast<void*>(&OpenFile)},
    {"open64", reinterpret_cast<void*>(&OpenFile64)},
    {"close", reinterpret_cast<void*>(&Close)},
    {"syscall", reinterpret_cast<void*>(&Syscall)},
    {"sigaction", reinterpret_cast<void*>(&SigAction)},
};

std::mutex table_mutex;  // guards the table and the count
int installations = 0;
// Leaked on purpose: redirected calls may run until the process is gone.
ImportTable& TheTable() {
  static auto& table = *new ImportTable;
  return table;
}

absl::Status FindImports(ImportTable& table) {
  table.Find(kReplacements, reinterpret_cast<const void*>(&Accept4));
  if (!table.Has("epoll_pwait") && !table.Has("epoll_wait")) {
    return absl::UnavailableError("this Node does not import epoll_pwait");
  }
  if (!table.Has("read")) {
    return absl::UnavailableError("this Node does not import read");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InstallInterposition() {
  const std::lock_guard lock(table_mutex);
  ImportTable& table = TheTable();
  if (installations == 0) {
    if (absl::Status found = FindImports(table); !found.ok()) return found;
    ProbeDirectIo();
    if (!table.Write(true)) {
      table.Write(false);
      return absl::PermissionDeniedError(
          "the kernel does not let the offset table be changed");
    }
  }
  ++installations;
  return absl::OkStatus();
}

void RemoveInterposition() {
  const std::lock_guard lock(table_mutex);
  if (installations > 0 && --installations == 0) TheTable().Write(false);
}

void SetSystemCallObserver(SystemCallObserver* self) { observer = self; }

void SetLoopObserver(LoopObserver* self) { loop_observer = self; }

}  // namespace edgewise
