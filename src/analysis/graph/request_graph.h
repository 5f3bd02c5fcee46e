#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/record.h"

namespace edgewise {

// A node of a request's Event Dependency Graph (VEE'19, section 4): a slice of
// an event that runs for the request. Times are CLOCK_MONOTONIC ns.
struct Node {
  static constexpr uint8_t kInferred = 1;  // the edge is not observed: rule 3
  static constexpr uint8_t kSlice = 2;     // begins inside its event
  static constexpr uint8_t kSink = 4;
  static constexpr uint8_t kLoopSlept = 8;  // in the wait before its event
  static constexpr uint8_t kPooled = 16;    // the end of the pool's work
  // Resolved by its parent, an earlier event of one scope of native code.
  static constexpr uint8_t kResolved = 32;
  static constexpr uint64_t kNoEvent = UINT64_MAX;  // its event has no records

  int64_t begin_ns;
  int64_t end_ns;
  int64_t ready_ns;  // of the event; its begin where the kind is kNone
  // Of the event; of one of the timers that it runs, that one's.
  int64_t event_begin_ns;
  int64_t taken_ns;  // kPooled: by a thread of the pool; 0: not known
  // The event's first slice [event_begin_ns, shared_end_ns) runs for all that
  // the event resumes.
  int64_t shared_end_ns;
  int64_t own_before_ns;  // execution of the request's earlier nodes
  uint64_t event;         // sequence number of the event
  // Numbers of pieces in the LoopTimeline: the first at or after each begin,
  // and the one after the node's last.
  uint64_t event_piece;
  uint64_t shared_end_piece;
  uint64_t begin_piece;
  uint64_t end_piece;
  uint32_t parent;      // index; the source is its own parent
  uint32_t dependency;  // what was waited for before it: DependencyTable's
  uint32_t call;        // and what was asked there
  // On its connection were so many bytes written then; `of_stream`: it was the
  // stream of that number, 0: not known.
  uint32_t asked;
  uint32_t session;  // that connection's number
  uint64_t link;     // of that, at both ends (ConnectionEnds); 0: not known
  int64_t asked_ns;  // and when
  uint64_t context;  // TraceContext::Key() of what was asked; 0: none
  EventType type;
  ReadyKind ready_kind;
  uint8_t flags;
  bool of_stream;  // HTTP/2

  // Whether what resumed the other one has resumed this one.
  bool IsInTurnOf(const Node& other) const {
    return event == other.event && event_begin_ns == other.event_begin_ns;
  }
};

// A garbage collection inside a node, or (shared) in the first slice of the
// event that a node is part of.
struct GcNote {
  uint32_t node;
  GcType type;
  bool shared;
  int64_t begin_ns;
  int64_t end_ns;
};

// Whether a request was the first of its connection.
enum class ConnectionUse : uint8_t { kUnknown, kKept, kNew };

// The graph of one open request. Node 0 is the source. A request that stays
// open for ever keeps its source and its latest nodes.
struct RequestGraph {
  int64_t ready_ns = 0;  // when its first bytes could be read
  int64_t own_ns = 0;    // execution of all nodes so far
  uint32_t owner = 0;    // BlameLedger's
  RequestKind kind = RequestKind::kHttp1;
  ReadyKind ready_kind = ReadyKind::kNone;
  ConnectionUse connection = ConnectionUse::kUnknown;
  bool truncated = false;
  int32_t fd = kNoFd;  // HTTP/1: its connection's
  // So many bytes had that received before, modulo 2^32; HTTP/2: its stream.
  uint32_t received = kUnknownOffset;
  uint64_t link = 0;     // of its connection, at both ends; 0: not known
  uint32_t session = 0;  // that connection's number in its file
  uint32_t dropped = 0;  // nodes 1 .. dropped are no longer held
  uint32_t turn_first = 0;
  std::vector<Node> nodes;
  std::vector<GcNote> gc;

  // What it has asked, by dependency; those beyond kMaxCalledDependencies are
  // not counted.
  struct Calls {
    uint32_t dependency;
    uint32_t count;
  };
  static constexpr size_t kMaxCalledDependencies = 64;
  std::vector<Calls> calls;
  void CountCall(uint32_t dependency);
  // It has turned out what `dependency` is: what was waited for there is
  // `name`'s, and what was `asked`, unless that was a handshake.
  void Rename(uint32_t dependency, uint32_t name, bool asked);

  uint32_t Size() const {
    return dropped + static_cast<uint32_t>(nodes.size());
  }
  uint32_t LastIndex() const { return Size() - 1; }
  bool Holds(uint32_t index) const { return index == 0 || index > dropped; }
  // A node that is no longer held is represented by the source.
  Node& At(uint32_t index) {
    return nodes[index > dropped ? index - dropped : 0];
  }
  const Node& At(uint32_t index) const {
    return nodes[index > dropped ? index - dropped : 0];
  }
  Node& Last() { return nodes.back(); }
  // Whether node `index` is of an earlier turn than the last node's, and later
  // than what that turn's first node waited for.
  bool IsAfterCauseOfTurn(uint32_t index) const;
  // The first of those nodes that lead to the last one in its turn.
  const Node& FirstOfTurn() const {
    return Holds(turn_first) ? At(turn_first)
                             : nodes[std::min<size_t>(1, nodes.size() - 1)];
  }
  // The last node has its parent: it goes on in that one's turn, or begins one.
  void NoteTurn();

  // Forgets all, for the next request; keeps what is allocated.
  void Reset();
  // Drops the older half of the nodes after the source.
  void Truncate();
  // Drops the nodes after one that is held.
  void DropAfter(uint32_t index);
};

// Bounds what the graphs of all requests hold together. A graph may hold its
// share; and where there is room, as much as any request needs.
class NodeBudget {
 public:
  static constexpr size_t kMaxNodes = 65536;  // that one graph may hold
  static constexpr size_t kMinNodes = 1024;
  static constexpr size_t kFewNodes = 16;  // where there is no room
  static constexpr size_t kMaxNodesOfAll = size_t{1} << 22;

  explicit NodeBudget(size_t max_nodes = kMaxNodesOfAll)
      : max_nodes_(max_nodes) {}

  // A new last node; the graph is truncated where it may not grow. `open`: so
  // many requests are.
  Node& Add(RequestGraph* graph, size_t open) {
    if (graph->nodes.size() == graph->nodes.capacity()) [[unlikely]] {
      MakeRoom(graph, open);
    }
    return graph->nodes.emplace_back();
  }
  // The request has ended. Its slot keeps a little for the next.
  void Release(RequestGraph* graph);

  // Room for so many nodes is allocated.
  size_t held() const { return held_; }

 private:
  size_t LimitOf(size_t open) const;
  void MakeRoom(RequestGraph* graph, size_t open);

  const size_t max_nodes_;
  size_t held_ = 0;
};

}  // namespace edgewise
