#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "across/joining.h"

namespace edgewise {

// The calls from one service to a route of another, of the tail or of the rest.
struct CallSum {
  uint64_t count = 0;
  double io_ns = 0;  // of the caller
  double network_ns = 0;
  double service_io_ns = 0;
  double queue_ns = 0;
  double exec_ns = 0;
  double gc_ns = 0;
  double off_ns = 0;
  std::map<uint32_t, double> blocked_ns;  // by route of the callee

  void Add(const JoinedCall& joined) {
    const CallParts& parts = joined.parts;
    ++count;
    io_ns += static_cast<double>(joined.call->end_ns - joined.call->begin_ns);
    network_ns += static_cast<double>(parts.network_ns);
    service_io_ns += static_cast<double>(parts.io_ns);
    queue_ns += static_cast<double>(parts.queue_ns);
    exec_ns += static_cast<double>(parts.exec_ns);
    gc_ns += static_cast<double>(parts.gc_ns);
    off_ns += static_cast<double>(parts.off_ns);
    if (joined.served->blocker != 0) {
      blocked_ns[joined.served->blocker] +=
          static_cast<double>(joined.served->blocked_ns);
    }
  }
};

// What all calls between services consist of.
class CallSums {
 public:
  struct Key {
    uint16_t from;
    uint16_t to;
    uint32_t route;  // the callee's
    bool operator<(const Key& other) const {
      return std::tie(from, to, route) <
             std::tie(other.from, other.to, other.route);
    }
  };
  struct Sums {
    CallSum tail;
    CallSum rest;
  };
  // Of one service's calls on TCP connections.
  struct Counts {
    uint64_t calls = 0;
    uint64_t joined = 0;
    std::array<uint64_t, kJoinedBys> by{};  // of these: by JoinedBy
    uint64_t undecided = 0;  // not joined: it may be one of several
    uint64_t before = 0;     // not among them: JoinedCall::before
  };

  void Add(const JoinedCall& joined) {
    Counts& counts = counts_[joined.call->service];
    if (joined.served == nullptr && joined.before) {
      ++counts.before;
      return;
    }
    ++counts.calls;
    if (joined.served == nullptr) {
      if (joined.candidates > 0) ++counts.undecided;
      return;
    }
    ++counts.joined;
    ++counts.by[static_cast<size_t>(joined.by)];
    Sums& sums = sums_[{joined.call->service, joined.served->service,
                        joined.served->route}];
    (joined.call->tail != 0 ? sums.tail : sums.rest).Add(joined);
    called_.insert(joined.served->service);
  }

  const std::map<Key, Sums>& sums() const { return sums_; }
  const std::map<uint16_t, Counts>& counts() const { return counts_; }
  bool IsCalled(uint16_t service) const { return called_.contains(service); }

 private:
  std::map<Key, Sums> sums_;
  std::map<uint16_t, Counts> counts_;
  std::set<uint16_t> called_;
};

}  // namespace edgewise
