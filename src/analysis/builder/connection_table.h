#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/builder/registration_index.h"
#include "analysis/stream/connection_ends.h"
#include "trace/record.h"

namespace edgewise {

inline bool BringsBytes(EventType type) {
  return type == EventType::kTcpRead || type == EventType::kPipeRead;
}

// The connections of one thread at the current point of its trace, by
// descriptor and by number: for whom the bytes are that come there.
class ConnectionTable {
 public:
  // A question that has left.
  struct Asker {
    RequestRef request;       // generation 0: it is not known who
    uint32_t node;            // its latest step that asked
    uint32_t call = 0;        // what it has asked: DependencyTable's
    uint32_t written = 0;     // on the connection by then, modulo 2^32
    int64_t asked_ns = 0;     // not before: it is told after the write
    uint32_t dependency = 0;  // of whom, by what is spoken: the same
    uint64_t resumed_in = 0;  // the event that has answered it; 0: none has
    bool several = false;     // another step has asked more: perhaps a second
    uint32_t first = 0;       // the first of those
    bool unsure = false;      // a tick has asked, perhaps another request's
    bool told = false;        // who asks is as it was told, or nobody known
    uint64_t context = 0;     // TraceContext::Key(); 0: it has named none
    uint32_t stream = 0;      // of HTTP/2, its number; 0: not known
    uint64_t stream_id = 0;   // its async id; 0: not known
    uint64_t entered_in = 0;  // the event in which that has run last

    bool waits() const { return resumed_in == 0; }
  };

  struct Connection {
    uint32_t number = 0;  // 0: the trace does not have its begin
    int32_t fd = kNoFd;
    ConnectionRole role = ConnectionRole::kAccepted;
    uint32_t peer = 0;        // string id; 0: not known
    uint32_t dependency = 0;  // DependencyTable's
    bool named = false;       // it is known what is spoken
    ConnectionEnds ends;
    uint64_t link = 0;  // what both ends know it by; 0: not known

    // Accepted: the request that it has brought last, with HTTP/2 those that
    // were open then; and the last one's latest step that has read from it.
    std::vector<RequestRef> served;
    RequestKind protocol = RequestKind::kHttp1;
    uint32_t read_node = 0;
    int64_t answered_ns = 0;  // when the last answer was written

    // Opened: who has, and the step in which.
    RequestRef opener{};
    uint32_t opener_node = 0;
    bool opener_unsure = false;  // a tick, perhaps another request's
    // Opened: the questions that have not been answered for all that is known,
    // in order, and the one that was answered last.
    std::vector<Asker> askers;
    Asker answered_last{};     // of those that were forgotten
    uint64_t asked_step = 0;   // the Trail's step that has asked last
    bool answered = false;     // bytes came since the last question
    bool ordered = true;       // answers come in the order of their questions
    bool multiplexed = false;  // HTTP/2: each stream is a question of its own
    Asker next{};  // of the question that comes next: what is known before

    // `asker` has asked. After an answer to a single question a new exchange
    // begins; what several have asked may be answered in parts. False: it adds
    // to what it has asked before, unless it is `another` question. Of one that
    // is multiplexed all are kept.
    bool Ask(const Asker& asker, bool another);
    // A step of `request` was resumed by what has come in an event.
    void Resumed(RequestRef request, uint32_t node, uint64_t event);
    // The question at a place was answered in an event, and if answers come in
    // order those before it.
    void Answered(size_t place, uint64_t event);
    // Forgets what was answered, but for the last: its answer may go on.
    void ForgetAnswered();
    // The question of `request` that waits, or the last that was answered.
    const Asker* Find(RequestRef request) const;
    // HTTP/2: the resource of a stream runs in an event. And the stream whose
    // answer `request` has got there; null: that is not known for certain.
    void Enter(uint64_t async_id, uint64_t event);
    const Asker* StreamOf(RequestRef request, uint64_t event) const;
    bool IsAskedByKnown() const;
    // Of one that is multiplexed: a question of whom what comes must be for;
    // null: that is not known.
    const Asker* OnlyWaiting() const;
  };

  // Null: none that is known. Valid until the next call that is not const.
  Connection* OfFd(int32_t fd);
  Connection* OfNumber(uint32_t number);

  // A connection begins on `fd`; what had it before is gone.
  Connection* Begin(int32_t fd, uint32_t number, ConnectionRole role,
                    uint32_t peer);
  void End(uint32_t number);

  // Who has asked for what waits for its connection; and takes it off
  // again: generation 0 where nobody is known. `is_open`: of requests.
  template <typename IsOpen>
  void Wait(uint32_t wait, const Asker& asker, IsOpen is_open) {
    if (waiting_.size() >= kMaxAskers) {
      absl::erase_if(waiting_, [&](const auto& each) {
        return !is_open(each.second.request);
      });
    }
    if (waiting_.size() < kMaxAskers) waiting_[wait] = asker;
  }
  Asker TakeWaiting(uint32_t wait);

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
  // What is never answered is no question.
  static constexpr size_t kMaxAskers = 4096;
  // More are not open at a time; a trace that says so is damaged.
  static constexpr size_t kMaxConnections = size_t{1} << 17;

  Connection& Accepted(int32_t fd);

  absl::flat_hash_map<int32_t, Connection> by_fd_;
  absl::flat_hash_map<uint32_t, int32_t> fd_of_number_;
  absl::flat_hash_map<uint32_t, Asker> waiting_;
};

}  // namespace edgewise
