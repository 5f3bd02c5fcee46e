#include "analysis/rows/request_rows.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/graph/critical_path.h"
#include "analysis/requests/request_detail.h"
#include "analysis/requests/request_json.h"
#include "trace/names.h"

namespace edgewise {
namespace {

// There is no value.
constexpr int64_t kNone = ParquetTable::kNone;

std::string ConnectionName(uint32_t use) {
  constexpr std::array<const char*, 3> kNames = {"unknown", "kept", "new"};
  return kNames[std::min<size_t>(use, kNames.size() - 1)];
}

std::vector<ParquetColumn> RequestColumnsOf(const RowNames& names) {
  return {
      WholeColumn("trace"),
      WholeColumn("request"),
      WholeColumn("process"),
      WholeColumn("thread"),
      NameColumn("route", [=](uint32_t n) { return names.routes->Text(n); }),
      NameColumn("kind", TextOfEnum(RequestKindName)),
      Perhaps(WholeColumn("status")),
      NameColumn("outcome", TextOfEnum(OutcomeName)),
      Perhaps(NameColumn("connection", ConnectionName)),
      FlagColumn("counted"),
      FlagColumn("tail"),
      WholeColumn("start_ns"),
      WholeColumn("unix_ns"),
      Perhaps(WholeColumn("latency_ns")),
      Perhaps(WholeColumn("io_ns")),
      Perhaps(WholeColumn("queue_ns")),
      Perhaps(WholeColumn("exec_ns")),
      Perhaps(WholeColumn("exec_gc_ns")),
      Perhaps(WholeColumn("exec_jit_ns")),
      Perhaps(WholeColumn("exec_ic_ns")),
      Perhaps(WholeColumn("exec_not_running_ns")),
      Perhaps(WholeColumn("queue_gc_ns")),
      Perhaps(WholeColumn("queue_jit_ns")),
      Perhaps(WholeColumn("queue_ic_ns")),
      Perhaps(WholeColumn("queue_not_running_ns")),
      Perhaps(WholeColumn("queue_idle_ns")),
      Perhaps(WholeColumn("queue_own_ns")),
      Perhaps(WholeColumn("queue_other_requests_ns")),
      Perhaps(WholeColumn("queue_unowned_ns")),
      Perhaps(WholeColumn("inferred")),
      Perhaps(WholeColumn("bounds"))};
}
constexpr size_t kRequestStart = 11;

std::vector<ParquetColumn> StepColumnsOf(const RowNames& names) {
  const auto what = [=](uint32_t n) {
    return names.dependencies->At(n).what();
  };
  const auto call = [=](uint32_t n) { return names.dependencies->Call(n); };
  return {WholeColumn("trace"),
          WholeColumn("request"),
          WholeColumn("step"),
          NameColumn("type", TextOfEnum(EventTypeName)),
          NameColumn("ready_kind", TextOfEnum(ReadyKindName)),
          FlagColumn("inferred"),
          FlagColumn("slice"),
          Perhaps(NameColumn("dependency", what)),
          Perhaps(NameColumn("call", call)),
          WholeColumn("start_ns"),
          WholeColumn("dur_ns"),
          WholeColumn("begin_ns"),
          WholeColumn("io_ns"),
          WholeColumn("queue_ns"),
          WholeColumn("exec_ns"),
          WholeColumn("gc_ns")};
}
constexpr size_t kStepStart = 9;

std::vector<ParquetColumn> CallColumnsOf(const RowNames& names) {
  const auto* const table = names.dependencies;
  return {
      WholeColumn("trace"),
      WholeColumn("request"),
      NameColumn("dependency", [=](uint32_t n) { return table->At(n).what(); }),
      NameColumn("kind", [=](uint32_t n) { return table->At(n).kind; }),
      NameColumn("peer", [=](uint32_t n) { return table->At(n).peer; }),
      Perhaps(NameColumn("call", [=](uint32_t n) { return table->Call(n); })),
      WholeColumn("start_ns"),
      WholeColumn("dur_ns"),
      Perhaps(WholeColumn("pool_queue_ns")),
      WholeColumn("asked")};
}
constexpr size_t kCallStart = 6;

std::vector<ParquetColumn> BlockerColumnsOf(const RowNames& names,
                                            const CauseTable* causes) {
  const auto text = [=](const char* key) {
    return [=](uint32_t number) {
      const CauseTable::Cause& cause = causes->causes()[number];
      const auto json =
          CauseJson(cause.kind, cause.route, cause.type, *names.routes);
      return json.contains(key) ? json[key].get<std::string>() : "";
    };
  };
  return {WholeColumn("trace"),
          WholeColumn("request"),
          WholeColumn("start_ns"),
          NameColumn("what", text("what")),
          NameColumn("kind", text("kind")),
          Perhaps(NameColumn("route", text("route"))),
          Perhaps(NameColumn("type", text("type"))),
          WholeColumn("ns")};
}
constexpr size_t kBlockerStart = 2;

}  // namespace

RequestRows::RequestRows(TableDirectory* tables, const RowNames& names,
                         CauseTable* causes)
    : requests_(
          tables->Add("requests", RequestColumnsOf(names), kRequestStart)),
      steps_(tables->Add("steps", StepColumnsOf(names), kStepStart)),
      calls_(tables->Add("calls", CallColumnsOf(names), kCallStart)),
      blockers_(tables->Add("blockers", BlockerColumnsOf(names, causes),
                            kBlockerStart)),
      causes_(causes) {}

void RequestRows::Add(const EndedRequest& request, const Components& components,
                      const RequestWatcher::Standing& standing,
                      RowContext* context) {
  using C = Components;
  const auto& ns = components.ns;
  const StreamCounts& counts = context->stream().counts();
  const RequestGraph& graph = request.graph;
  const Doubts doubts = DoubtsOf(graph, request.path);
  const bool times = context->stream().meta().times;
  const bool off_cpu = context->off_cpu();
  const auto measured = [&](C::Index part) { return times ? ns[part] : kNone; };
  const auto not_running = [&](C::Index first) {
    return off_cpu ? components.OffAt(first).total_ns() : kNone;
  };
  requests_->Add(std::array<int64_t, 31>{
      context->key(),
      request.id,
      counts.process,
      counts.thread,
      request.route,
      static_cast<int64_t>(graph.kind),
      request.status == 0 ? kNone : int64_t{request.status},
      static_cast<int64_t>(request.outcome),
      static_cast<int64_t>(graph.connection),
      standing.counted,
      standing.tail,
      graph.ready_ns,
      graph.ready_ns + counts.unix_offset_ns,
      ns[C::kLatency],
      ns[C::kIo],
      ns[C::kQueue],
      ns[C::kExec],
      ns[C::kExecGc],
      measured(C::kExecJit),
      measured(C::kExecIc),
      not_running(C::kExecOff),
      ns[C::kQueueGc],
      measured(C::kQueueJit),
      measured(C::kQueueIc),
      not_running(C::kQueueOff),
      ns[C::kQueueLoop],
      ns[C::kQueueOwn],
      ns[C::kQueueOther],
      ns[C::kQueueUnowned],
      doubts.inferred,
      doubts.bounds});
  AddSteps(request, context);
  AddCalls(request, context);
}

void RequestRows::AddAborted(const AbortedRequest& request, bool counted,
                             RowContext* context) {
  const StreamCounts& counts = context->stream().counts();
  std::array<int64_t, 31> row;
  row.fill(kNone);
  const std::array<int64_t, 13> known = {
      context->key(),
      request.id,
      counts.process,
      counts.thread,
      request.route,
      static_cast<int64_t>(request.kind),
      kNone,
      static_cast<int64_t>(Outcome::kAborted),
      kNone,
      counted,
      0,
      request.ready_ns,
      request.ready_ns + counts.unix_offset_ns};
  std::copy(known.begin(), known.end(), row.begin());
  requests_->Add(row);
}

void RequestRows::AddSteps(const EndedRequest& request, RowContext* context) {
  const std::vector<PathStep>& steps = request.path.steps;
  int64_t number = 0;
  for (size_t i = steps.size(); i-- > 0; ++number) {  // It begins at the sink.
    const PathStep& step = steps[i];
    const DetailStep detail = DescribeStep(request, step);
    const int64_t dur_ns = step.io_ns + step.queue_ns + step.exec_ns;
    const bool waited = step.io_ns > 0;
    const bool asked = waited && detail.call != DependencyTable::kUnknown;
    steps_->Add(std::array<int64_t, 16>{
        context->key(), request.id, number, static_cast<int64_t>(detail.type),
        static_cast<int64_t>(detail.ready_kind), detail.inferred, detail.slice,
        waited ? int64_t{detail.dependency} : kNone,
        asked ? int64_t{detail.call} : kNone, step.end_ns - dur_ns, dur_ns,
        detail.begin_ns, step.io_ns, step.queue_ns, step.exec_ns, step.gc_ns});
  }
}

// A row a wait; the questions that were sent there are told with the first, or
// with a row of their own where none was waited for.
void RequestRows::AddCalls(const EndedRequest& request, RowContext* context) {
  const RequestGraph& graph = request.graph;
  told_.clear();
  const auto questions = [&](uint32_t dependency) -> int64_t {
    if (std::find(told_.begin(), told_.end(), dependency) != told_.end()) {
      return 0;
    }
    told_.push_back(dependency);
    for (const RequestGraph::Calls& calls : graph.calls) {
      if (calls.dependency == dependency) return calls.count;
    }
    return 0;
  };
  const auto add = [&](uint32_t dependency, uint32_t call, int64_t start_ns,
                       int64_t dur_ns, int64_t pool_queue_ns) {
    calls_->Add(std::array<int64_t, 10>{
        context->key(), request.id, dependency, dependency, dependency,
        call == DependencyTable::kUnknown ? kNone : int64_t{call}, start_ns,
        dur_ns, pool_queue_ns, questions(dependency)});
  };
  const std::vector<PathStep>& steps = request.path.steps;
  for (size_t i = steps.size(); i-- > 0;) {
    const PathStep& step = steps[i];
    if (step.io_ns == 0) continue;
    const Node& node = graph.At(step.node);
    const bool pooled = (node.flags & Node::kPooled) != 0 && node.taken_ns != 0;
    add(node.dependency, node.call,
        step.end_ns - step.io_ns - step.queue_ns - step.exec_ns, step.io_ns,
        pooled ? step.pool_queue_ns : kNone);
  }
  for (const RequestGraph::Calls& calls : graph.calls) {
    const bool told =
        std::find(told_.begin(), told_.end(), calls.dependency) != told_.end();
    if (!told) {
      add(calls.dependency, DependencyTable::kUnknown, graph.ready_ns, 0,
          kNone);
    }
  }
}

void RequestRows::AddBlockers(const EndedRequest& request,
                              const std::vector<CauseClock::Part>& parts,
                              RowContext* context) {
  using Kind = Blocker::Kind;
  for (const CauseClock::Part& part : parts) {
    const Kind kind = causes_->causes()[part.cause].kind;
    const bool typed =
        kind == Kind::kRequest || kind == Kind::kEvent || kind == Kind::kGc;
    const int64_t cause = part.cause;
    blockers_->Add(std::array<int64_t, 8>{
        context->key(), request.id, request.graph.ready_ns, cause, cause,
        kind == Kind::kRequest ? cause : kNone, typed ? cause : kNone,
        part.ns});
  }
}

}  // namespace edgewise
