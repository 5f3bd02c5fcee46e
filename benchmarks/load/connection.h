#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "load/request_source.h"
#include "load/response_parser.h"
#include "load/sample.h"

namespace edgewise::load {

// One non-blocking TCP connection with at most one request under way. It is
// registered with epoll edge-triggered, for reading and writing, once: an
// arrival then costs one send(2) and one recv(2) and no epoll_ctl(2).
class Connection {
 public:
  enum class Outcome {
    kPending,   // nothing decided yet
    kResponse,  // a complete response: see response()
    kFailed,    // see failure() and message()
    kGone,      // the peer closed an idle connection: not an error
  };

  ~Connection() { Close(); }

  // Opens a socket and begins to connect; registers it under `tag`. When that
  // fails at once, so does Start().
  // `stamps`: arrived_realtime_ns() is kept.
  Outcome Open(int epoll_fd, uint64_t tag, const sockaddr* address,
               socklen_t address_bytes, bool stamps);
  // Sends `request` now, or as soon as the connection is open. `sample` gets
  // sent_ns, first_byte_ns and local_port, and must live until the outcome.
  // `*request` gets the buffers of the request before, to be filled anew.
  Outcome Start(RequestSource::Request* request, bool head, bool keep_body,
                Sample* sample);
  // Handles epoll's event bits.
  Outcome OnEvents(uint32_t events);
  void Close();

  bool busy() const { return sample_ != nullptr; }
  Sample* sample() const { return sample_; }
  const RequestSource::Request& request() const { return request_; }
  const ResponseParser& response() const { return parser_; }
  // When the kernel got the last bytes that were received, CLOCK_REALTIME in
  // ns; 0: not known.
  int64_t arrived_realtime_ns() const { return arrived_realtime_ns_; }
  Failure failure() const { return failure_; }
  const std::string& message() const { return message_; }

  // Ends the exchange. False when the connection must not be used again; the
  // caller then closes it.
  bool Finish(int64_t now_ns);
  // Whether an idle connection may still be used. A server that announced a
  // keep-alive time-out may be closing it at this moment, so only the first
  // half of that time is used.
  bool Fresh(int64_t now_ns) const { return now_ns < fresh_until_ns_; }

 private:
  Outcome Fail(Failure failure, std::string message);
  Outcome FailErrno(absl::string_view what, int error);
  Outcome OnConnected();
  Outcome Send();
  Outcome Receive();
  ssize_t ReceiveSome(char* buffer, size_t size);
  Outcome Consume(absl::string_view bytes);

  int fd_ = -1;
  bool connecting_ = false;
  bool peer_ended_ = false;  // the peer will send nothing after what is queued
  uint16_t local_port_ = 0;
  size_t sent_bytes_ = 0;
  int64_t fresh_until_ns_ = INT64_MAX;
  bool stamps_ = false;
  int64_t arrived_realtime_ns_ = 0;
  Sample* sample_ = nullptr;
  RequestSource::Request request_;
  ResponseParser parser_;
  Failure failure_ = Failure::kNone;
  std::string message_;
};

}  // namespace edgewise::load
