#pragma once

#include <sys/types.h>

#include <cstdint>

#include "absl/status/status.h"

struct epoll_event;
struct msghdr;

namespace edgewise {

// What the loop asks of the kernel, seen by the thread that asks. Called around
// the system call; implementations do not throw and leave errno alone.
class SystemCallObserver {
 public:
  virtual ~SystemCallObserver() = default;
  virtual void BeforePoll(int epoll_fd) = 0;
  // `may_wait`: the call was one that waits for what is not ready yet. `count`:
  // the files that it found, or -1.
  virtual void AfterPoll(int epoll_fd, bool may_wait, int count) = 0;
  // read, of which what follows depends on the file. kUnseen: none of the
  // loop's, nothing follows. It may be libuv's handler of signals that reads,
  // and writes, in the middle of anything that this thread does: for such a
  // file nothing may be done but to find that out.
  enum class Reading { kUnseen, kStamped, kOther };
  virtual Reading BeforeRead(int fd) = 0;
  // kStamped: known as a socket whose arrivals the kernel stamps (arrival.h).
  // This follows with the stamp of what was read, 0 if there is none; or
  // NotASocket, and then as for kOther.
  virtual void AfterStampedRead(int fd, int64_t arrival_realtime_ns) = 0;
  // The number is another file's by now.
  virtual void NotASocket(int fd) = 0;
  // kOther.
  virtual void BeforeOtherRead(int fd) = 0;
  virtual void AfterOtherRead(int fd, const void* data, ssize_t bytes) = 0;
  // recvmsg, recvmmsg, recvfrom, accept4.
  virtual void BeforeReceive(int fd) = 0;
  virtual void AfterReceive(int fd) = 0;
  // `new_fd` is negative when there was no connection.
  virtual void AfterAccept(int listening_fd, int new_fd) = 0;
  // write, writev; of whatever file, as for kUnseen. `bytes`: how many the
  // kernel took, or -1.
  virtual void AfterWrite(int fd, ssize_t bytes) = 0;
};

// The little that boosting needs of it, whether or not somebody records.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void BeforePoll(int epoll_fd) = 0;
  // `ready`: the files that the wait found, `count` of them.
  virtual void AfterPoll(int epoll_fd, const epoll_event* ready, int count) = 0;
  // read, recvmsg, recvmmsg, recvfrom, accept4.
  virtual void BeforeReceive(int fd) = 0;
};

// Redirects Node's and libuv's own imports of these functions (their slots in
// the global offset table) through this library, for the threads that have an
// observer. Counted: undone by as many RemoveInterposition(). For all threads
// reads and writes then take a shorter way (direct_io.h).
// Fails, having changed nothing, where the import of epoll_pwait or read is not
// found.
absl::Status InstallInterposition();
void RemoveInterposition();

// The calling thread's observers; null: none. Borrowed.
void SetSystemCallObserver(SystemCallObserver* observer);
void SetLoopObserver(LoopObserver* observer);

}  // namespace edgewise
