#include "analysis/graph/critical_path.h"

#include <algorithm>
#include <cstddef>

namespace edgewise {
namespace {

// The backward sweep. `now_` moves from the request's end to its ready time;
// each Cut takes the time between a boundary and now_.
class Sweep {
 public:
  Sweep(const RequestGraph& graph, int64_t end_ns, CriticalPath* path)
      : graph_(graph), path_(path), now_(std::max(end_ns, graph.ready_ns)) {}

  void Run(uint32_t sink) {
    next_gc_ = graph_.gc.size();
    for (uint32_t index = sink;;) {
      Begin(index);
      if (index == 0) {
        Source(graph_.nodes[0]);
        break;
      }
      const Node& node = graph_.At(index);
      const uint32_t parent = graph_.Holds(node.parent) ? node.parent : 0;
      ToParent(index, node, parent, graph_.At(parent));
      End();
      index = parent;
    }
    End();
  }

 private:
  void Begin(uint32_t index) {
    step_ = {};
    step_.node = index;
    step_.end_ns = now_;
    step_.first_span = static_cast<uint32_t>(path_->spans.size());
  }

  void End() {
    step_.end_span = static_cast<uint32_t>(path_->spans.size());
    path_->io_ns += step_.io_ns;
    path_->queue_ns += step_.queue_ns;
    path_->exec_ns += step_.exec_ns;
    path_->exec_gc_ns += step_.gc_ns;
    path_->steps.push_back(step_);
  }

  static bool LoopSlept(const Node& node) {
    return (node.flags & Node::kLoopSlept) != 0;
  }

  // Moves back to `boundary_ns`; returns how far that was.
  int64_t Cut(int64_t boundary_ns) {
    const int64_t to_ns = std::clamp(boundary_ns, graph_.ready_ns, now_);
    const int64_t length_ns = now_ - to_ns;
    now_ = to_ns;
    return length_ns;
  }

  void Exec(int64_t from_ns, uint64_t from_piece, uint32_t index, bool shared) {
    const int64_t to_ns = now_;
    step_.exec_ns += Cut(from_ns);
    path_->execs.push_back({now_, to_ns, from_piece});
    TakeGc(index, shared, now_, to_ns);
  }

  void Queue(int64_t from_ns, uint64_t from_piece, uint64_t to_piece,
             int64_t own_ns, bool loop_slept) {
    const int64_t to_ns = now_;
    const int64_t length_ns = Cut(from_ns);
    if (length_ns == 0) return;
    step_.queue_ns += length_ns;
    path_->spans.push_back(
        {now_, to_ns, from_piece, to_piece, own_ns, loop_slept});
  }

  void Io(const Node& node, int64_t from_ns) {
    const int64_t length_ns = Cut(from_ns);
    step_.io_ns += length_ns;
    if ((node.flags & Node::kPooled) == 0) return;
    step_.pool_queue_ns +=
        std::clamp<int64_t>(node.taken_ns - now_, 0, length_ns);
  }

  void Source(const Node& source) {
    step_.ready_kind = source.ready_kind;
    Exec(source.begin_ns, source.begin_piece, 0, /*shared=*/false);
    Queue(graph_.ready_ns, 0, source.begin_piece, 0, LoopSlept(source));
  }

  void ToParent(uint32_t index, const Node& node, uint32_t parent_index,
                const Node& parent) {
    Exec(node.begin_ns, node.begin_piece, index, /*shared=*/false);
    if ((node.flags & Node::kResolved) != 0 || parent.IsInTurnOf(node)) {
      step_.ready_kind = ReadyKind::kResolved;
      Queue(parent.end_ns, parent.end_piece, node.begin_piece, 0, false);
      return;
    }
    step_.ready_kind = node.ready_kind;
    if (node.begin_ns > node.event_begin_ns) {
      Queue(node.shared_end_ns, node.shared_end_piece, node.begin_piece, 0,
            false);
      Exec(node.event_begin_ns, node.event_piece, index, /*shared=*/true);
    }
    const int64_t start_ns = std::max(node.ready_ns, parent.end_ns);
    const int64_t own_ns = OwnBetween(parent_index, index, start_ns);
    Queue(start_ns, parent.end_piece, node.event_piece, own_ns,
          LoopSlept(node));
    Io(node, parent.end_ns);
  }

  // Execution of the nodes between two nodes of the path, after `from_ns`.
  int64_t OwnBetween(uint32_t parent, uint32_t index, int64_t from_ns) const {
    // Nodes that are no longer held ran before those that are.
    for (uint32_t i = std::max(parent, graph_.dropped) + 1; i < index; ++i) {
      const Node& other = graph_.At(i);
      if (other.end_ns <= from_ns) continue;
      return graph_.At(index).own_before_ns - other.own_before_ns -
             std::max<int64_t>(0, from_ns - other.begin_ns);
    }
    return 0;
  }

  // Notes are in the order of their nodes, and the path visits nodes from the
  // last to the first, each one's own before the shared ones.
  void TakeGc(uint32_t index, bool shared, int64_t from_ns, int64_t to_ns) {
    while (next_gc_ > 0 && graph_.gc[next_gc_ - 1].node > index) --next_gc_;
    for (size_t i = next_gc_; i > 0; --i) {
      GcNote note = graph_.gc[i - 1];
      if (note.node != index) break;
      if (note.shared != shared) continue;
      note.begin_ns = std::max(note.begin_ns, from_ns);
      note.end_ns = std::min(note.end_ns, to_ns);
      if (note.end_ns <= note.begin_ns) continue;
      step_.gc_ns += note.end_ns - note.begin_ns;
      path_->gc.push_back(note);
    }
  }

  const RequestGraph& graph_;
  CriticalPath* path_;
  int64_t now_;
  size_t next_gc_ = 0;
  PathStep step_{};
};

}  // namespace

Doubts DoubtsOf(const RequestGraph& graph, const CriticalPath& path) {
  Doubts doubts;
  for (const PathStep& step : path.steps) {
    if ((graph.At(step.node).flags & Node::kInferred) != 0) ++doubts.inferred;
    if (step.ready_kind == ReadyKind::kUpperBound ||
        step.ready_kind == ReadyKind::kLowerBound) {
      ++doubts.bounds;
    }
  }
  return doubts;
}

void FindCriticalPath(const RequestGraph& graph, uint32_t sink, int64_t end_ns,
                      CriticalPath* path) {
  path->io_ns = path->queue_ns = path->exec_ns = path->exec_gc_ns = 0;
  path->steps.clear();
  path->spans.clear();
  path->execs.clear();
  path->gc.clear();
  Sweep(graph, end_ns, path).Run(sink);
}

}  // namespace edgewise
