#include "load/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "load/clock.h"

namespace edgewise::load {

absl::string_view FailureName(Failure failure) {
  switch (failure) {
    case Failure::kNone:
      return "none";
    case Failure::kRefused:
      return "refused";
    case Failure::kConnect:
      return "connect";
    case Failure::kSocket:
      return "socket";
    case Failure::kReset:
      return "reset";
    case Failure::kClosed:
      return "closed";
    case Failure::kTimeout:
      return "timeout";
    case Failure::kProtocol:
      return "protocol";
    case Failure::kAborted:
      return "aborted";
  }
  return "unknown";
}

Connection::Outcome Connection::Fail(Failure failure, std::string message) {
  failure_ = failure;
  message_ = std::move(message);
  return Outcome::kFailed;
}

Connection::Outcome Connection::FailErrno(absl::string_view what, int error) {
  Failure failure = Failure::kConnect;
  if (error == ECONNREFUSED) {
    failure = Failure::kRefused;
  } else if (error == ECONNRESET || error == EPIPE) {
    failure = Failure::kReset;
  } else if (error == EMFILE || error == ENFILE || error == ENOMEM) {
    failure = Failure::kSocket;
  }
  return Fail(failure, absl::StrCat(what, ": ", strerror(error)));
}

Connection::Outcome Connection::Open(int epoll_fd, uint64_t tag,
                                     const sockaddr* address,
                                     socklen_t address_bytes, bool stamps) {
  fd_ =
      socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return FailErrno("socket", errno);
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  stamps_ = stamps &&
            setsockopt(fd_, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0;
  fresh_until_ns_ = INT64_MAX;
  connecting_ = true;
  peer_ended_ = false;
  failure_ = Failure::kNone;
  if (connect(fd_, address, address_bytes) != 0 && errno != EINPROGRESS) {
    return FailErrno("connect", errno);
  }
  // Even when connect() succeeded at once, epoll reports the first edge.
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = tag;
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd_, &event) != 0) {
    return FailErrno("epoll_ctl", errno);
  }
  return Outcome::kPending;
}

void Connection::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Connection::Outcome Connection::OnConnected() {
  connecting_ = false;
  int error = 0;
  socklen_t bytes = sizeof error;
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (error != 0) return FailErrno("connect", error);
  sockaddr_storage local{};
  bytes = sizeof local;
  getsockname(fd_, reinterpret_cast<sockaddr*>(&local), &bytes);
  // The port is at the same place in sockaddr_in and sockaddr_in6.
  local_port_ = ntohs(reinterpret_cast<const sockaddr_in*>(&local)->sin_port);
  return busy() ? Send() : Outcome::kPending;
}

Connection::Outcome Connection::Start(RequestSource::Request* request,
                                      bool head, bool keep_body,
                                      Sample* sample) {
  std::swap(request_, *request);
  sample_ = sample;
  sent_bytes_ = 0;
  parser_.Reset(head, keep_body);
  if (failure_ != Failure::kNone) return Outcome::kFailed;  // Open() failed
  return connecting_ ? Outcome::kPending : Send();
}

Connection::Outcome Connection::Send() {
  if (sent_bytes_ == 0) {
    sample_->sent_ns = NowNs();
    sample_->local_port = local_port_;
  }
  while (sent_bytes_ < request_.bytes.size()) {
    const ssize_t sent =
        send(fd_, request_.bytes.data() + sent_bytes_,
             request_.bytes.size() - sent_bytes_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return Outcome::kPending;
    if (sent < 0) return FailErrno("send", errno);
    sent_bytes_ += static_cast<size_t>(sent);
  }
  return Outcome::kPending;
}

Connection::Outcome Connection::OnEvents(uint32_t events) {
  if (connecting_) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) {
      return Outcome::kPending;
    }
    const Outcome outcome = OnConnected();
    if (outcome != Outcome::kPending) return outcome;
  } else if (busy() && sent_bytes_ < request_.bytes.size() &&
             (events & EPOLLOUT) != 0) {
    // A failed send is not the last word: the server may have answered early
    // and closed, and that answer is waiting to be read.
    Send();
  }
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) peer_ended_ = true;
  if ((events & EPOLLIN) == 0 && !peer_ended_) return Outcome::kPending;
  return Receive();
}

ssize_t Connection::ReceiveSome(char* buffer, size_t size) {
  if (!stamps_) return recv(fd_, buffer, size, 0);
  iovec part{buffer, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  arrived_realtime_ns_ = 0;
  const ssize_t got = recvmsg(fd_, &message, 0);
  const cmsghdr* const header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header != nullptr && header->cmsg_level == SOL_SOCKET &&
      header->cmsg_type == SCM_TIMESTAMPNS) {
    timespec stamp;
    std::memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
    arrived_realtime_ns_ =
        int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec;
  }
  return got;
}

// Edge-triggered: reads until the socket is empty. A read that does not fill
// the buffer emptied it, unless the end of the stream was signalled as well,
// which needs one more read.
Connection::Outcome Connection::Receive() {
  static thread_local char buffer[128 * 1024];
  while (true) {
    const ssize_t got = ReceiveSome(buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return Outcome::kPending;
    if (!busy()) {
      if (got <= 0) return Outcome::kGone;
      return Fail(Failure::kProtocol, "bytes that answer no request");
    }
    if (got < 0) return FailErrno("recv", errno);
    if (got == 0) {
      if (parser_.FinishAtClose() == ResponseParser::Progress::kDone) {
        return Outcome::kResponse;
      }
      return Fail(Failure::kClosed, parser_.error());
    }
    const Outcome outcome = Consume({buffer, static_cast<size_t>(got)});
    if (outcome != Outcome::kPending) return outcome;
    if (static_cast<size_t>(got) < sizeof buffer && !peer_ended_) {
      return Outcome::kPending;
    }
  }
}

Connection::Outcome Connection::Consume(absl::string_view bytes) {
  if (sample_->first_byte_ns == 0) sample_->first_byte_ns = NowNs();
  size_t consumed = 0;
  switch (parser_.Feed(bytes, &consumed)) {
    case ResponseParser::Progress::kNeedMore:
      return Outcome::kPending;
    case ResponseParser::Progress::kError:
      return Fail(Failure::kProtocol, parser_.error());
    case ResponseParser::Progress::kDone:
      break;
  }
  if (consumed < bytes.size()) {
    return Fail(Failure::kProtocol,
                absl::StrCat(bytes.size() - consumed,
                             " bytes follow the end of the response"));
  }
  return Outcome::kResponse;
}

bool Connection::Finish(int64_t now_ns) {
  sample_ = nullptr;
  if (failure_ != Failure::kNone || !parser_.keep_alive() || peer_ended_ ||
      sent_bytes_ < request_.bytes.size()) {
    return false;
  }
  const auto timeout_s = parser_.keep_alive_timeout_s();
  if (timeout_s) {
    fresh_until_ns_ = now_ns + int64_t{*timeout_s} * 1'000'000'000 / 2;
  }
  return true;
}

}  // namespace edgewise::load
