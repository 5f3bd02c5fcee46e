#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "across/exchange_log.h"
#include "across/rows.h"

namespace edgewise {

// What the I/O of a call consists of, ns: they sum to it.
struct CallParts {
  int64_t network_ns = 0;  // on the way there and back
  int64_t io_ns = 0;       // in the service: of its request's critical path
  int64_t queue_ns = 0;
  int64_t exec_ns = 0;
  int64_t gc_ns = 0;   // of the last two
  int64_t off_ns = 0;  // likewise: its thread did not run

  CallParts& operator+=(const CallParts& other) {
    network_ns += other.network_ns;
    io_ns += other.io_ns;
    queue_ns += other.queue_ns;
    exec_ns += other.exec_ns;
    gc_ns += other.gc_ns;
    off_ns += other.off_ns;
    return *this;
  }
};

struct JoinedCall {
  const CalledRow* call;
  const ServedRow* served;  // null: not joined
  CallParts parts;
  // It waited for what came before the first request that is known of its
  // connection: a handshake of TLS.
  bool before = false;
};

// TCP is ordered: the request that begins after so many bytes of a connection
// is the one that was asked when the last of them, and some more, had been
// written there. Calls and requests of the same connection, in order.
class Joining {
 public:
  using Visit = std::function<void(const JoinedCall&)>;

  // Both are finished, and outlive it.
  Joining(const SortedRows<ServedRow>* served,
          const SortedRows<CalledRow>* called)
      : served_(served), called_(called) {}

  // Visits each call, in the order of connections. Memory: that of one
  // connection's rows.
  absl::Status ForEach(const Visit& visit);

 private:
  void JoinLink(const Visit& visit);

  const SortedRows<ServedRow>* served_;
  const SortedRows<CalledRow>* called_;
  std::vector<ServedRow> requests_;  // of one link
  std::vector<CalledRow> calls_;
};

// Finds the requests of one connection that calls on it belong to. Where the
// records of a request are missing its call belongs to none, not to the request
// before it.
class RequestFinder {
 public:
  // In order of their times.
  explicit RequestFinder(std::span<const ServedRow> requests)
      : requests_(requests) {}
  // Of calls in order of their times; null: none.
  const ServedRow* Of(const CalledRow& call);
  bool IsBeforeAll(const CalledRow& call) const {
    return !requests_.empty() && !BeginsBefore(0, call.asked);
  }

 private:
  bool BeginsBefore(size_t request, uint32_t bytes) const {
    const uint32_t between = bytes - requests_[request].received;
    return between != 0 && between <= INT32_MAX;
  }

  const std::span<const ServedRow> requests_;
  size_t at_ = 0;
  const ServedRow* found_ = nullptr;  // the last time
  uint32_t asked_ = 0;                // by the first call of it
};

CallParts PartsOf(const CalledRow& call, const ServedRow& served);

}  // namespace edgewise
