#include "analysis/requests/request_detail.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace edgewise {
namespace {

using CauseNs = absl::flat_hash_map<uint64_t, BlockedBy>;

uint64_t KeyOf(const BlockedBy& cause) {
  const bool pending = cause.pending_owner != 0;
  return static_cast<uint64_t>(pending) << 63 |
         static_cast<uint64_t>(cause.kind) << 48 |
         static_cast<uint64_t>(pending ? cause.pending_owner : cause.route)
             << 8 |
         cause.type;
}

BlockedBy CauseOf(const Piece& piece, const BlameLedger& ledger) {
  if (piece.is_gc) return {Blocker::Kind::kGc, 0, piece.type, 0, 0};
  if (piece.owner == 0) return {Blocker::Kind::kEvent, 0, piece.type, 0, 0};
  if (ledger.IsOpen(piece.owner)) {
    return {Blocker::Kind::kRequest, 0, piece.type, piece.owner, 0};
  }
  return {Blocker::Kind::kRequest, ledger.RouteOf(piece.owner), piece.type, 0,
          0};
}

std::vector<BlockedBy> Sorted(const CauseNs& causes) {
  std::vector<BlockedBy> sorted;
  for (const auto& [key, cause] : causes) sorted.push_back(cause);
  std::sort(sorted.begin(), sorted.end(),
            [](const BlockedBy& a, const BlockedBy& b) {
              return a.ns != b.ns ? a.ns > b.ns : KeyOf(a) < KeyOf(b);
            });
  return sorted;
}

void Add(Blocker::Kind kind, int64_t ns, CauseNs* causes) {
  if (ns <= 0) return;
  const BlockedBy cause{kind, 0, 0, 0, 0};
  causes->try_emplace(KeyOf(cause), cause).first->second.ns += ns;
}

std::vector<BlockedBy> Blocking(const CriticalPath& path, uint32_t first_span,
                                uint32_t end_span, const LoopTimeline& timeline,
                                BlameLedger* ledger) {
  CauseNs causes;
  int64_t loop_ns = 0;
  int64_t wake_ns = 0;
  for (uint32_t i = first_span; i < end_span; ++i) {
    const QueueSpan& span = path.spans[i];
    const LoopTimeline::Occupied occupied =
        timeline.Between(span.from_ns, span.from_piece, span.to_piece);
    (span.loop_slept ? wake_ns : loop_ns) +=
        span.to_ns - span.from_ns - occupied.busy_ns;
    for (uint64_t number = occupied.first; number < span.to_piece; ++number) {
      const Piece& piece = timeline.At(number);
      BlockedBy cause = CauseOf(piece, *ledger);
      const auto [it, added] = causes.try_emplace(KeyOf(cause), cause);
      if (added && cause.pending_owner != 0) {
        ledger->AddReference(cause.pending_owner);
      }
      const VmTimes vm = timeline.VmWithin(number, span.from_ns, piece.end_ns);
      it->second.ns += piece.end_ns - std::max(piece.begin_ns, span.from_ns) -
                       vm.jit_ns - vm.ic_ns;
      Add(Blocker::Kind::kJit, vm.jit_ns, &causes);
      Add(Blocker::Kind::kIc, vm.ic_ns, &causes);
    }
  }
  Add(Blocker::Kind::kLoop, loop_ns, &causes);
  Add(Blocker::Kind::kWake, wake_ns, &causes);
  return Sorted(causes);
}

std::vector<DetailStep> DescribePath(const EndedRequest& request,
                                     const LoopTimeline& timeline,
                                     BlameLedger* ledger) {
  std::vector<DetailStep> path;
  ForEachDetailStep(
      request, [&](DetailStep& step, uint32_t first_span, uint32_t end_span) {
        step.blocked_by =
            Blocking(request.path, first_span, end_span, timeline, ledger);
        path.push_back(std::move(step));
      });
  return path;
}

void DescribeNodes(const EndedRequest& request, RequestDetail* detail) {
  const RequestGraph& graph = request.graph;
  std::vector<bool> on_path(graph.Size());
  for (const PathStep& step : request.path.steps) on_path[step.node] = true;
  for (uint32_t index = 0; index < graph.Size(); ++index) {
    if (!graph.Holds(index)) continue;
    detail->nodes.push_back(graph.At(index));
    detail->indices.push_back(index);
    detail->on_path.push_back(on_path[index]);
  }
}

}  // namespace

DetailStep DescribeStep(const EndedRequest& request, const PathStep& step) {
  const Node& node = request.graph.At(step.node);
  DetailStep detail{};
  detail.node = step.node;
  detail.merged = 1;
  detail.type = node.type;
  detail.ready_kind = step.ready_kind;
  detail.inferred = (node.flags & Node::kInferred) != 0;
  detail.slice = (node.flags & Node::kSlice) != 0;
  detail.dependency = node.dependency;
  detail.call = node.call;
  detail.io_ns = step.io_ns;
  detail.queue_ns = step.queue_ns;
  detail.exec_ns = step.exec_ns;
  detail.gc_ns = step.gc_ns;
  detail.begin_ns = std::max(node.begin_ns, request.graph.ready_ns);
  detail.end_ns = step.end_ns;
  return detail;
}

void MergeStep(const PathStep& step, DetailStep* sum) {
  ++sum->merged;
  sum->io_ns += step.io_ns;
  sum->queue_ns += step.queue_ns;
  sum->exec_ns += step.exec_ns;
  sum->gc_ns += step.gc_ns;
  sum->end_ns = step.end_ns;
}

RequestDetail DescribeRequest(const EndedRequest& request, bool with_nodes,
                              const LoopTimeline& timeline,
                              BlameLedger* ledger) {
  const RequestGraph& graph = request.graph;
  RequestDetail detail;
  detail.id = request.id;
  detail.route = request.route;
  detail.status = request.status;
  detail.outcome = request.outcome;
  detail.kind = graph.kind;
  detail.truncated = graph.truncated;
  detail.ready_ns = graph.ready_ns;
  detail.end_ns = request.end_ns;
  detail.path = DescribePath(request, timeline, ledger);
  if (with_nodes) DescribeNodes(request, &detail);
  return detail;
}

void ResolveDetail(BlameLedger* ledger, RequestDetail* detail) {
  for (DetailStep& step : detail->path) {
    CauseNs causes;
    for (BlockedBy cause : step.blocked_by) {
      if (cause.pending_owner != 0) {
        cause.route = ledger->RouteOf(cause.pending_owner);
        ledger->DropReference(cause.pending_owner);
        cause.pending_owner = 0;
      }
      if (cause.ns == 0) continue;  // all of it was V8's work
      const auto [it, added] = causes.try_emplace(KeyOf(cause), cause);
      if (!added) it->second.ns += cause.ns;
    }
    step.blocked_by = Sorted(causes);
  }
}

}  // namespace edgewise
