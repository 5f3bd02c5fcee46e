// The part of the EdgBuilder that ends requests: in which node, and when.

#include <algorithm>
#include <cstdlib>

#include "analysis/builder/edg_builder.h"

namespace edgewise {

// If the request ends in a slice of another's, the sink is that slice, and its
// parent whoever registered what executes, or asked for what came. Failing
// that, rule 3 holds: every event before the sink happens before it, so the
// last one gates it.
uint32_t EdgBuilder::SinkNode(RequestRef request, const InnerRecord& end) {
  if (slice_.request == request) return slice_.node;
  if (slice_.guest.request == request) return GuestNode();
  const RegistrationIndex::Entry* owner = FindById(end.async_id);
  RequestGraph& graph = GraphOf(request);
  const Slice running = slice_;
  uint32_t parent = graph.LastIndex();
  bool observed = true;
  if (owner != nullptr && owner->request == request) {
    parent = owner->node;
    observed = !owner->unsure;
  } else if (const auto* const asker = AnsweredHere(request)) {
    parent = asker->node;
    observed = !several_wait_;
  } else {
    const Registrant led = FollowTrail(request, slice_.cause);
    observed = led.request == request;
    if (observed) parent = led.node;
  }
  Attach(request, parent, observed ? 0 : Node::kInferred);
  const uint32_t node = graph.LastIndex();
  NoteGc(slice_gc_, slice_.begin_ns, node, /*shared=*/false, &graph);
  slice_ = running;
  return node;
}

// The response was written before JavaScript told of it: in the node that ran
// then, or in something that ran for nobody, after the request's latest node.
uint32_t EdgBuilder::EarlierSink(RequestRef request, const InnerRecord& end) {
  RequestGraph& graph = GraphOf(request);
  const int64_t end_ns = EndOf(end, graph.At(0).begin_ns);
  uint32_t index = graph.LastIndex();
  while (graph.At(index).begin_ns > end_ns && index > graph.dropped) --index;
  if (index == graph.dropped) index = 0;
  const bool runs = slice_.request == request && slice_.node == index;
  if (runs || graph.At(index).end_ns >= end_ns) return index;
  // What came later is no part of it.
  graph.DropAfter(index);
  const WrittenIn& written = event_->written[end.written - 1];
  const RegistrationIndex::Entry* owner = FindById(written.async_id);
  const bool observed = owner != nullptr && owner->request == request &&
                        graph.Holds(owner->node) && owner->node <= index;
  Registrant led;
  if (!observed) led = FollowTrail(request, {.async_id = written.async_id});
  const bool known = observed || led.request == request;
  AddSink(written, end_ns,
          observed ? owner->node
          : known  ? led.node
                   : index,
          &graph);
  if (!known) graph.Last().flags |= Node::kInferred;
  return graph.LastIndex();
}

void EdgBuilder::AddSink(const WrittenIn& written, int64_t end_ns,
                         uint32_t parent, RequestGraph* graph) {
  const Node last = graph->Last();
  int64_t begin_ns = std::clamp(written.begin_ns, last.end_ns, end_ns);
  const uint64_t piece = timeline_->PieceAfter(begin_ns + kSameNs);
  if (piece < timeline_->next() && timeline_->At(piece).begin_ns < end_ns &&
      std::abs(timeline_->At(piece).begin_ns - begin_ns) <= kSameNs) {
    begin_ns = std::max(timeline_->At(piece).begin_ns, last.end_ns);
  }
  Node& node = nodes_.Add(graph, requests_.open());
  node.begin_ns = node.event_begin_ns = node.shared_end_ns = begin_ns;
  node.end_ns = end_ns;
  node.ready_ns = std::min(written.ready_ns, begin_ns);
  node.own_before_ns = graph->own_ns;
  node.event = Node::kNoEvent;
  node.event_piece = node.shared_end_piece = node.begin_piece = piece;
  node.end_piece = std::min(piece + 1, timeline_->next());
  node.parent = parent;
  node.dependency = dependencies_->Intern(DependencyKind(written.type));
  node.call = DependencyTable::kUnknown;
  node.asked = node.session = 0;
  node.link = 0;
  node.asked_ns = 0;
  node.of_stream = false;
  node.context = 0;
  node.type = written.type;
  node.ready_kind = written.ready_kind;
  node.taken_ns = 0;
  node.flags = written.loop_slept ? Node::kLoopSlept : 0;
}

void EdgBuilder::OnEnd(const InnerRecord& record) {
  const RequestRef request = requests_.Find(record.aux);
  if (!requests_.IsOpen(request)) {
    if (!requests_.UnmarkLost(record.aux)) ++counts_.lost;
    return;
  }
  const auto outcome = static_cast<Outcome>(record.type);
  const uint32_t route = RouteOf(record.text);
  const auto& slot = requests_.At(request);
  if (outcome == Outcome::kAborted) {
    sink_->OnAborted({slot.id, route, slot.state.kind, slot.state.ready_ns});
  } else {
    // Up to here, V8's times of the path are known, and when it did not run.
    if (!vm_shares_.empty() || !event_->off.empty()) PushPiece(record.time_ns);
    const bool earlier =
        EndOf(record, slot.state.At(0).begin_ns) < record.time_ns;
    const uint32_t sink =
        earlier ? EarlierSink(request, record) : SinkNode(request, record);
    RequestGraph& graph = GraphOf(request);
    graph.At(sink).flags |= Node::kSink;
    // The sink's own slice is still open; the walk ends it at the request's
    // end.
    const int64_t end_ns =
        std::max(EndOf(record, graph.At(0).begin_ns), graph.ready_ns);
    ConnectionTable::Connection* const own = connections_.OfFd(graph.fd);
    if (own != nullptr && own->number == graph.session) {
      own->answered_ns = end_ns;
    }
    FindCriticalPath(graph, sink, end_ns, &path_);
    sink_->OnRequest({slot.id, slot.ordinal, route, record.number, outcome,
                      end_ns, graph, path_});
  }
  CloseRequest(request, route);
}

}  // namespace edgewise
