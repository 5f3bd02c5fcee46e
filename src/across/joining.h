#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "across/exchange_log.h"
#include "across/relays.h"
#include "across/rows.h"
#include "across/sessions.h"

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

enum class JoinedBy : uint8_t {
  kConnection,
  kTraceparent,
  kRequestId,  // `x-request-id`
  kBytes,      // of a connection whose ends have other addresses (Relays)
};
inline constexpr size_t kJoinedBys = 4;

struct JoinedCall {
  const CalledRow* call;
  const ServedRow* served;  // null: not joined
  CallParts parts;
  // It waited for what came before the first request that is known of its
  // connection: a handshake of TLS.
  bool before = false;
  JoinedBy by = JoinedBy::kConnection;
  // Requests, or connections of bytes, that it may have been: it was joined if
  // there is one. 0: none that is known.
  uint32_t candidates = 0;
};

// TCP is ordered: the request that begins after so many bytes of a connection
// is the one that was asked when the last of them, and some more, had been
// written there. Calls and requests of the same connection, in order. Where
// something lies between the two, a call is found by its name (JoinByName), or
// without one by the bytes (Relays).
class Joining {
 public:
  using Visit = std::function<void(const JoinedCall&)>;

  // All rows are finished, and `exchanges` outlives it.
  Joining(const Exchanges* exchanges, std::span<const std::string> scratch)
      : served_(&exchanges->served),
        named_(&exchanges->named),
        called_(&exchanges->called),
        opened_(&exchanges->opened),
        left_(scratch),
        relayed_served_(scratch),
        relayed_called_(scratch) {}

  // Visits each call: those that were joined by their connection, or never can
  // be, then those that others may have passed on. Memory: that of one
  // connection's rows, and of Relays.
  absl::Status ForEach(const Visit& visit);

 private:
  using Told = std::function<void(const CalledRow& call, const ServedRow* found,
                                  bool before)>;

  absl::Status Prepare();
  void SketchServed();
  absl::Status GatherRelayed();
  bool IsLeftToName(const CalledRow& call) const;
  void JoinLink(const Told& told) const;
  void JoinName(const Visit& visit);
  // Rows of the next key that has calls, into requests_ and calls_. `alone`:
  // requests_ are of one that has none.
  bool NextOf(SortedRows<ServedRow>::Reader* served,
              SortedRows<CalledRow>::Reader* called,
              const std::function<void()>& alone = nullptr);
  void TakeRequests(SortedRows<ServedRow>::Reader* served, uint64_t link);

  const SortedRows<ServedRow>* served_;
  const SortedRows<ServedRow>* named_;
  const SortedRows<CalledRow>* called_;
  const absl::flat_hash_set<uint64_t>* opened_;
  bool prepared_ = false;
  SortedRows<CalledRow> left_;  // by their names
  Relays relays_;
  SortedRows<ServedRow> relayed_served_;  // by Relays::Found::relay
  SortedRows<CalledRow> relayed_called_;
  std::vector<ServedRow> requests_;  // of one link
  std::vector<CalledRow> calls_;
};

// Finds the requests of one connection that calls on it belong to. Where the
// records of a request are missing its call belongs to none, not to the request
// before it.
class RequestFinder {
 public:
  // In order of their times; all calls on the connection that there are.
  RequestFinder(std::span<const ServedRow> requests,
                std::span<const CalledRow> calls)
      : requests_(requests) {
    FindPipelined(calls);
  }
  // Of calls in order of their times; null: none.
  const ServedRow* Of(const CalledRow& call);
  bool IsBeforeAll(const CalledRow& call) const {
    return !requests_.empty() && call.of_stream == 0 &&
           !BeginsBefore(0, call.asked);
  }

 private:
  bool BeginsBefore(size_t request, uint32_t bytes) const {
    const uint32_t between = bytes - requests_[request].received;
    return between != 0 && between <= INT32_MAX;
  }

  const ServedRow* OfStream(const CalledRow& call);
  // What one read has brought was pipelined: perhaps in one write, too. As many
  // questions as requests are known one by one.
  void FindPipelined(std::span<const CalledRow> calls);
  void FindOfOneRead(std::span<const ServedRow> together, uint32_t end,
                     std::span<const CalledRow> calls);
  bool IsOneOfSeveral(size_t place) const {
    const uint32_t received = requests_[place].received;
    return (place > 0 && requests_[place - 1].received == received) ||
           (place + 1 < requests_.size() &&
            requests_[place + 1].received == received);
  }

  const std::span<const ServedRow> requests_;
  absl::flat_hash_map<uint32_t, const ServedRow*> streams_;
  absl::flat_hash_map<uint32_t, const ServedRow*> pipelined_;  // by `asked`
  size_t at_ = 0;
  const ServedRow* found_ = nullptr;  // the last time
  uint32_t asked_ = 0;                // by the first call of it
};

CallParts PartsOf(const CalledRow& call, const ServedRow& served);

}  // namespace edgewise
