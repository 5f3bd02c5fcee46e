#include "hooks/direct_io.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "platform/refusal.h"

namespace edgewise {
namespace {

// Descriptors of the process that are stream sockets, or were. Without a lock:
// libuv's handler of signals writes, in the middle of anything. Larger numbers
// are never members.
class StreamSockets {
 public:
  bool Has(int fd) {
    return InRange(fd) && (Word(fd).load(std::memory_order_relaxed) & Bit(fd));
  }
  void Add(int fd) {
    if (InRange(fd)) Word(fd).fetch_or(Bit(fd), std::memory_order_relaxed);
  }
  void Remove(int fd) {
    Word(fd).fetch_and(~Bit(fd), std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kMost = 1 << 16;

  static bool InRange(int fd) { return static_cast<unsigned>(fd) < kMost; }
  static uint64_t Bit(int fd) {
    return uint64_t{1} << (static_cast<unsigned>(fd) % 64);
  }
  std::atomic<uint64_t>& Word(int fd) {
    return words_[static_cast<unsigned>(fd) / 64];
  }

  std::array<std::atomic<uint64_t>, kMost / 64> words_{};
};

constinit StreamSockets stream_sockets;

constinit StandInCall receive_from(SYS_recvfrom);
constinit StandInCall send_to(SYS_sendto);
constinit StandInCall send_message(SYS_sendmsg);

// Whether `bytes`, with errno, is no answer of a stream socket.
[[gnu::cold]] bool MustBeFileCall(StandInCall* call, int fd, ssize_t bytes,
                                  bool wanted) {
  if (!call->IsRefusal(bytes, fd, wanted)) return false;
  if (bytes < 0 && errno == ENOTSOCK && !call->refused()) {
    stream_sockets.Remove(fd);
  }
  return true;
}

// `wanted`: more than nothing is to be read or written.
template <typename SocketCall, typename FileCall>
ssize_t Either(int fd, StandInCall* call, bool wanted, SocketCall socket_call,
               FileCall file_call) {
  if (stream_sockets.Has(fd) && !call->refused()) [[likely]] {
    const ssize_t bytes = socket_call();
    if (bytes > 0) [[likely]]
      return bytes;
    if (!MustBeFileCall(call, fd, bytes, wanted)) return bytes;
  }
  return file_call();
}

// A head and a small body: the kernel takes one buffer in less time than a list
// of two, the copy included.
constexpr size_t kMostJoined = 2048;

// Their bytes; -1: more than fit.
ssize_t Join(const iovec* parts, int count,
             std::array<char, kMostJoined>& joined) {
  size_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    const iovec& part = parts[i];
    if (part.iov_len > joined.size() - bytes) return -1;
    std::memcpy(joined.data() + bytes, part.iov_base, part.iov_len);
    bytes += part.iov_len;
  }
  return static_cast<ssize_t>(bytes);
}

[[gnu::hot]] ssize_t SendParts(int fd, const iovec* parts, int count) {
  const auto by_file = [&] { return syscall(SYS_writev, fd, parts, count); };
  std::array<char, kMostJoined> joined;
  if (const ssize_t bytes = Join(parts, count, joined); bytes >= 0) {
    return Either(
        fd, &send_to, bytes > 0,
        [&] {
          return syscall(SYS_sendto, fd, joined.data(), bytes, 0, nullptr, 0);
        },
        by_file);
  }
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  return Either(
      fd, &send_message, /*wanted=*/true,
      [&] { return syscall(SYS_sendmsg, fd, &message, 0); }, by_file);
}

}  // namespace

void NoteStreamSocket(int fd) { stream_sockets.Add(fd); }

void ProbeDirectIo() {
  for (StandInCall* call : {&receive_from, &send_to, &send_message}) {
    call->Probe();
  }
}

[[gnu::hot]] ssize_t DirectRead(int fd, void* data, size_t size) {
  return Either(
      fd, &receive_from, size > 0,
      [&] {
        return syscall(SYS_recvfrom, fd, data, size, 0, nullptr, nullptr);
      },
      [&] { return syscall(SYS_read, fd, data, size); });
}

[[gnu::hot]] ssize_t DirectWrite(int fd, const void* data, size_t size) {
  return Either(
      fd, &send_to, size > 0,
      [&] { return syscall(SYS_sendto, fd, data, size, 0, nullptr, 0); },
      [&] { return syscall(SYS_write, fd, data, size); });
}

[[gnu::hot]] ssize_t DirectWriteV(int fd, const iovec* parts, int count) {
  if (stream_sockets.Has(fd)) [[likely]]
    return SendParts(fd, parts, count);
  return syscall(SYS_writev, fd, parts, count);
}

}  // namespace edgewise
