#pragma once

#include <cstdint>
#include <vector>

#include "analysis/graph/request_graph.h"

namespace edgewise {

// A stretch of the path during which the request was ready and did not run.
struct QueueSpan {
  int64_t from_ns;
  int64_t to_ns;
  uint64_t from_piece;  // no piece before it ends after from_ns
  uint64_t to_piece;    // the piece that begins at to_ns
  int64_t own_ns;       // of it, execution of other nodes of the request
  bool loop_slept;      // when it began: what nothing occupied is its waking
};

// A stretch of the path during which the request ran.
struct ExecSpan {
  int64_t from_ns;
  int64_t to_ns;
  uint64_t from_piece;  // no piece before it ends after from_ns
};

// One node on the critical path, and the components of its latency T = I/O +
// Queue + Exec (VEE'19, equation 2).
struct PathStep {
  uint32_t node;
  // What the time before the node's begin rests on: kResolved if it follows an
  // earlier slice of its own event, which ended then.
  ReadyKind ready_kind;
  int64_t end_ns;  // the node counts up to here
  int64_t io_ns;
  int64_t pool_queue_ns;  // of io_ns: no thread of the pool had taken it
  int64_t queue_ns;
  int64_t exec_ns;
  int64_t gc_ns;        // of exec_ns
  uint32_t first_span;  // its queue spans are [first_span, end_span)
  uint32_t end_span;
};

// Source last, sink first: the order of the walk. Reused from request to
// request, so that finding a path allocates nothing.
struct CriticalPath {
  int64_t io_ns;
  int64_t queue_ns;
  int64_t exec_ns;
  int64_t exec_gc_ns;
  std::vector<PathStep> steps;
  std::vector<QueueSpan> spans;
  std::vector<ExecSpan> execs;
  std::vector<GcNote> gc;  // collections that interrupted it, cut to the path
};

// How much of a path is not surely known: steps whose cause is inferred, and
// steps whose ready time is a bound.
struct Doubts {
  uint32_t inferred = 0;
  uint32_t bounds = 0;
};
Doubts DoubtsOf(const RequestGraph& graph, const CriticalPath& path);

// Walks from the sink to the source by the parent edges (VEE'19, equation 1)
// and cuts the time from the request's ready time to `end_ns` into I/O, queue
// and execution, without gap or overlap: the three sum to the latency exactly.
void FindCriticalPath(const RequestGraph& graph, uint32_t sink, int64_t end_ns,
                      CriticalPath* path);

}  // namespace edgewise
