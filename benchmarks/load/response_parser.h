#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace edgewise::load {

// Parses one HTTP/1.1 response at a time, from bytes as they arrive (RFC 9112).
// Only what a load generator needs is understood: the status, how the body ends
// and whether the connection may be used again; the rest is skipped. Interim
// 1xx responses are passed over.
class ResponseParser {
 public:
  enum class Progress { kNeedMore, kDone, kError };

  static constexpr size_t kMaxHeaderBytes = 256 * 1024;
  static constexpr size_t kMaxKeptBodyBytes = 4 * 1024 * 1024;

  // Begins a response. One to a HEAD request has headers but never a body. The
  // body's bytes are counted; they are kept only when `keep_body`.
  void Reset(bool head_request, bool keep_body);

  // Consumes bytes, and sets `*consumed`: less than all only when the response
  // ended before them. After kDone or kError, call Reset().
  Progress Feed(absl::string_view bytes, size_t* consumed);

  // The peer closed the connection: kDone when that is how this response's body
  // ends, otherwise kError (it was cut short).
  Progress FinishAtClose();

  int status() const { return status_; }
  bool keep_alive() const { return keep_alive_; }
  // The server's `Keep-Alive: timeout=N`; nullopt when it did not say.
  std::optional<int> keep_alive_timeout_s() const { return idle_timeout_s_; }
  uint64_t body_bytes() const { return body_bytes_; }
  absl::string_view body() const { return body_; }
  // Value of the first header of that name (any case); nullopt when absent.
  std::optional<absl::string_view> Header(absl::string_view name) const;
  // After kError: what was wrong, in words.
  const std::string& error() const { return error_; }

 private:
  enum class State {
    kHeaders,
    kLengthBody,
    kBodyUntilClose,
    kChunkSize,
    kChunkData,
    kChunkEnd,
    kTrailers,
    kDone,
    kError,
  };

  Progress Fail(std::string message);
  // Each consumes some of `bytes` and moves `state_` on.
  size_t FeedHeaders(absl::string_view bytes);
  size_t FeedBody(absl::string_view bytes);
  size_t FeedLine(absl::string_view bytes);
  void EndOfHeaders();
  bool ParseStatusLine(absl::string_view line);
  bool ParseFraming();
  void EndOfLine();

  State state_ = State::kHeaders;
  bool head_request_ = false;
  bool keep_body_ = false;
  bool keep_alive_ = true;
  int status_ = 0;
  std::optional<int> idle_timeout_s_;
  uint64_t remaining_ = 0;  // bytes of the body or of the chunk still to come
  uint64_t body_bytes_ = 0;
  std::string headers_;  // status line and header lines, without the blank one
  std::string line_;     // the chunk-size or trailer line being collected
  std::string body_;
  std::string error_;
};

}  // namespace edgewise::load
