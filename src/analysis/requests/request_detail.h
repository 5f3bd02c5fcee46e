#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/builder/edg_builder.h"
#include "analysis/graph/blame.h"
#include "analysis/graph/loop_timeline.h"
#include "analysis/tail/statistics.h"

namespace edgewise {

// What occupied the loop while one node waited, summed by cause.
struct BlockedBy {
  Blocker::Kind kind;
  uint32_t route;  // kRequest; while `pending_owner` is set not known yet
  uint8_t type;
  uint32_t pending_owner;  // 0: none
  int64_t ns;
};

struct DetailStep {
  uint32_t node;
  uint32_t merged;  // so many steps in one, from `node` on; usually 1
  EventType type;
  ReadyKind ready_kind;
  bool inferred;
  bool slice;
  uint32_t dependency;  // what it waited for during `io_ns`: DependencyTable's
  uint32_t call;
  int64_t io_ns;
  int64_t queue_ns;
  int64_t exec_ns;
  int64_t gc_ns;
  int64_t begin_ns;  // CLOCK_MONOTONIC
  int64_t end_ns;
  std::vector<BlockedBy> blocked_by;  // largest first
};

// One request told in full: for the slowest ones, and the one asked for.
struct RequestDetail {
  uint32_t id = 0;
  uint32_t process = 0;
  std::string identity;  // of it; empty where its number is its own
  uint32_t thread = 0;
  uint32_t route = 0;
  uint32_t status = 0;
  Outcome outcome = Outcome::kFinished;
  RequestKind kind = RequestKind::kHttp1;
  bool truncated = false;
  int64_t ready_ns = 0;
  int64_t end_ns = 0;
  Components components;
  bool off_cpu = false;           // when its thread did not run is known
  std::optional<uint32_t> row;    // of the page's columns
  std::vector<DetailStep> path;   // source first
  std::vector<Node> nodes;        // only if asked for
  std::vector<uint32_t> indices;  // of the nodes
  std::vector<bool> on_path;      // of the nodes
};

// A path of more steps (a stream that stayed open) has those in the middle
// merged into one.
inline constexpr size_t kMaxDetailSteps = 1000;

// The steps of a path, source first, without what blocked them:
// visit(step, first_span, end_span) with its queue spans in the path.
template <typename Visit>
void ForEachDetailStep(const EndedRequest& request, Visit&& visit);

// `components` is left to the caller. Owners that are still open are held by a
// reference until ResolveDetail(), which must be called once for each detail
// before the ledger's owners go.
RequestDetail DescribeRequest(const EndedRequest& request, bool with_nodes,
                              const LoopTimeline& timeline,
                              BlameLedger* ledger);
void ResolveDetail(BlameLedger* ledger, RequestDetail* detail);

DetailStep DescribeStep(const EndedRequest& request, const PathStep& step);
void MergeStep(const PathStep& step, DetailStep* sum);

template <typename Visit>
void ForEachDetailStep(const EndedRequest& request, Visit&& visit) {
  const std::vector<PathStep>& steps = request.path.steps;
  const size_t merged =
      steps.size() > kMaxDetailSteps ? steps.size() - kMaxDetailSteps + 1 : 0;
  size_t visited = 0;
  for (size_t i = steps.size(); i > 0; ++visited) {  // it begins at the sink
    const PathStep& first = steps[--i];
    DetailStep detail = DescribeStep(request, first);
    if (visited == kMaxDetailSteps / 2) {
      while (detail.merged < merged) MergeStep(steps[--i], &detail);
    }
    visit(detail, steps[i].first_span, first.end_span);
  }
}

}  // namespace edgewise
