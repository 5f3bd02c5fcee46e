// How a request went on in slices of others: functions that user code has kept
// in a queue, behind a shared connection or in an emitter, and called later.
// Stock Node does not show whose they are. The request's end does, and the
// registrations that lead there.

#include <algorithm>

#include "analysis/builder/edg_builder.h"

namespace edgewise {
namespace {

constexpr size_t kMaxSteps = 4096;

}  // namespace

void EdgBuilder::LeaveOnTrail(int64_t end_ns, uint64_t counter) {
  in_slice_ = false;
  if (has_edges_) return;
  Trail::Step step;
  if (requests_.IsOpen(slice_.request)) {
    step.node = GraphOf(slice_.request).Last();
  } else {
    step.node = NodeOfSlice();
    NoteQuestionOf({}, &step.node);
  }
  step.node.end_ns = end_ns;
  step.node.end_piece = timeline_->next();
  step.cause = slice_.cause;
  step.after_id = slice_.counter;
  step.last_id = std::max(counter, slice_.counter);
  step.sequence = slice_.sequence;
  step.request = slice_.request;
  step.request_node = slice_.node;
  step.connection = connection_ != nullptr ? connection_->number : 0;
  step.several_waited = several_wait_;
  trail_.Leave(step);
}

// The question of `request` that the step may have answered, or null.
const ConnectionTable::Asker* EdgBuilder::AskedBefore(const Trail::Step& step,
                                                      RequestRef request) {
  if (step.connection == 0) return nullptr;
  const ConnectionTable::Connection* const connection =
      connections_.OfNumber(step.connection);
  if (connection == nullptr) return nullptr;
  const ConnectionTable::Asker* const asker = connection->Find(request);
  if (asker == nullptr) return nullptr;
  if (!asker->waits() && asker->resumed_in != step.node.event) return nullptr;
  return GraphOf(request).At(asker->node).end_ns <= step.node.begin_ns
             ? asker
             : nullptr;
}

// Looks for what led to something that a slice of another has registered: back
// to a step of `request` itself, or to bytes that it has asked for, or as far
// as it did nothing itself. The steps become nodes of its graph. Gives the last
// of them; nobody's if there is none.
EdgBuilder::Registrant EdgBuilder::FollowTrail(RequestRef request,
                                               const Trail::Cause& cause) {
  RequestGraph& graph = GraphOf(request);
  steps_.clear();
  uint32_t parent = graph.LastIndex();
  const int64_t last_end_ns = graph.Last().end_ns;
  bool observed = false;
  for (const Trail::Step* step = trail_.Find(cause);
       step != nullptr && steps_.size() < kMaxSteps;
       step = trail_.Find(step->cause)) {
    if (step->request == request) {
      parent = step->request_node;
      observed = true;
      break;
    }
    if (const auto* const asker = AskedBefore(*step, request)) {
      parent = asker->node;
      observed = true;
      steps_.push_back(step);
      break;
    }
    if (step->node.begin_ns < last_end_ns) break;
    steps_.push_back(step);
  }
  if (steps_.empty() && !observed) return {};
  for (; !steps_.empty(); steps_.pop_back()) {
    // Where several waited the others' functions may have run in it, too.
    const bool sure = observed && !steps_.back()->several_waited;
    parent = Adopt(*steps_.back(), parent, sure ? uint8_t{0} : Node::kInferred,
                   &graph);
    observed = true;
  }
  return {request, parent};
}

uint32_t EdgBuilder::Adopt(const Trail::Step& step, uint32_t parent,
                           uint8_t flags, RequestGraph* graph) {
  Node& node = nodes_.Add(graph, requests_.open());
  node = step.node;
  node.own_before_ns = graph->own_ns;
  node.parent = parent;
  node.flags = static_cast<uint8_t>(
      (node.flags & ~(Node::kInferred | Node::kSink)) | flags);
  graph->own_ns += node.end_ns - node.begin_ns;
  const uint32_t index = graph->LastIndex();
  const uint64_t first = std::max(node.begin_piece, timeline_->first());
  for (uint64_t i = first; i < node.end_piece; ++i) {
    const Piece& piece = timeline_->At(i);
    if (!piece.is_gc || piece.off) continue;
    graph->gc.push_back({index, static_cast<GcType>(piece.type),
                         /*shared=*/false, piece.begin_ns, piece.end_ns});
  }
  return index;
}

}  // namespace edgewise
