#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/registration_index.h"
#include "trace/record.h"

namespace edgewise {

// The connections of one thread at the current point of its trace, by
// descriptor and by number: for whom the bytes are that come there.
class ConnectionTable {
 public:
  struct Asker {
    RequestRef request;       // generation 0: it is not known who
    uint32_t node;            // its latest step that asked
    bool resumed;             // by what came since
    uint32_t call = 0;        // what it has asked: DependencyTable's
    uint32_t dependency = 0;  // of whom, by what is spoken: the same
  };

  struct Connection {
    uint32_t number = 0;  // 0: the trace does not have its begin
    int32_t fd = kNoFd;
    ConnectionRole role = ConnectionRole::kAccepted;
    uint32_t peer = 0;        // string id; 0: not known
    uint32_t dependency = 0;  // DependencyTable's

    // Accepted: the request that it has brought last, with HTTP/2 those that
    // were open then; and the last one's latest step that has read from it.
    std::vector<RequestRef> served;
    RequestKind protocol = RequestKind::kHttp1;
    uint32_t read_node = 0;

    // Opened: who has asked, and not been answered for all that is known.
    std::vector<Asker> askers;
    bool answered = false;     // bytes came since the last question
    bool multiplexed = false;  // HTTP/2: answers come in any order

    // `asker` has asked. After an answer to a single asker a new exchange
    // begins; what several have asked may be answered in parts. False: it adds
    // to what it has asked before. Of one that is multiplexed all are kept.
    bool Ask(const Asker& asker);
    // A step of `request` was resumed by what came.
    void Resumed(RequestRef request, uint32_t node);
    const Asker* Find(RequestRef request) const;
    bool IsAskedByKnown() const;
    // Whom what comes must be for; null: that is not known.
    const Asker* OnlyWaiting() const;
  };

  // Null: none that is known. Valid until the next call that is not const.
  Connection* OfFd(int32_t fd);
  Connection* OfNumber(uint32_t number);

  // A connection begins on `fd`; what had it before is gone.
  Connection* Begin(int32_t fd, uint32_t number, ConnectionRole role,
                    uint32_t peer);
  void End(uint32_t number);

  // `request` was read from `fd`. `is_open`: of those before it.
  template <typename IsOpen>
  void Serve(int32_t fd, RequestRef request, RequestKind protocol,
             IsOpen is_open) {
    Connection& connection = Accepted(fd);
    std::vector<RequestRef>& served = connection.served;
    if (protocol == RequestKind::kHttp1) {
      served.clear();
    } else {
      std::erase_if(served, [&](RequestRef ref) { return !is_open(ref); });
    }
    served.push_back(request);
    connection.protocol = protocol;
    connection.read_node = 0;
  }

  void Clear();

 private:
  // More are not open at a time; a trace that says so is damaged.
  static constexpr size_t kMaxConnections = size_t{1} << 17;

  Connection& Accepted(int32_t fd);

  absl::flat_hash_map<int32_t, Connection> by_fd_;
  absl::flat_hash_map<uint32_t, int32_t> fd_of_number_;
};

}  // namespace edgewise
