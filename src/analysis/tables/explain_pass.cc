#include "analysis/tables/explain_pass.h"

#include <algorithm>
#include <span>
#include <utility>

namespace edgewise {
namespace {

void AddCounts(const GraphCounts& counts, GraphCounts* sum) {
  sum->lost += counts.lost;
  sum->unfinished += counts.unfinished;
  for (int type = 0; type < kGcTypes; ++type) {
    sum->gc_count[type] += counts.gc_count[type];
    sum->gc_ns[type] += counts.gc_ns[type];
  }
  sum->gc_off_ns += counts.gc_off_ns;
  for (uint32_t reason = 0; reason < kGcReasons; ++reason) {
    sum->gc_reason_count[reason] += counts.gc_reason_count[reason];
    sum->gc_reason_ns[reason] += counts.gc_reason_ns[reason];
  }
}

}  // namespace

ExplainPass::Busy ExplainPass::RunFile(uint32_t file, EventStream* stream,
                                       const RequestRoutes& request_routes,
                                       RouteTable* routes) {
  file_ = file;
  stream_ = stream;
  EdgBuilder builder(stream, &request_routes, routes, dependencies_, &timeline_,
                     &ledger_, &stacks_, this, watcher_);
  builder_ = &builder;
  builder.Run();
  builder_ = nullptr;
  if (options_.columns != nullptr) {
    options_.columns->EndFile(
        {stream->counts().process, stream->counts().thread, Identity()},
        &ledger_);
  }
  AddCounts(builder.counts(), &counts_);
  if (watcher_ != nullptr) watcher_->EndFile(builder.counts());
  for (const size_t i : unresolved_) ResolveDetail(&ledger_, &*details_[i]);
  unresolved_.clear();
  if (wanted_unresolved_) ResolveDetail(&ledger_, &*wanted_);
  wanted_unresolved_ = false;
  return {builder.busy_ns(), builder.off_ns()};
}

// Whether the options leave the request in; counts those that were skipped.
bool ExplainPass::Counts(uint32_t route, int64_t ready_ns) {
  const std::string& text = routes_->Text(route);
  if (options_.routes.LeavesOut(text)) {
    ++left_out_;
  } else if (options_.routes.LeavesStreamOut(text)) {
    ++streams_;
  }
  if (!options_.routes.Has(text)) return false;
  // The first that is read need not be the first that came.
  const bool skipped = options_.skip_ns > 0 &&
                       ready_ns < builder_->first_ready_ns() + options_.skip_ns;
  if (skipped) ++skipped_;
  return !skipped;
}

void ExplainPass::OnAborted(const AbortedRequest& request) {
  if (options_.request == request.id) wanted_aborted_ = true;
  const bool counted = Counts(request.route, request.ready_ns);
  if (counted) ++aborted_;
  if (watcher_ != nullptr) watcher_->AddAborted(request, counted);
}

void ExplainPass::OnRequest(const EndedRequest& request) {
  const bool counted = Counts(request.route, request.graph.ready_ns);
  const bool told = watcher_ != nullptr || options_.request == request.id;
  if (!counted && !told) return;
  const Components components = Explain(request);
  const bool is_tail =
      counted && statistics_->all().IsTail(components.ns[Components::kLatency]);
  if (watcher_ != nullptr) {
    watcher_->AddRequest(request, components, {counted, is_tail});
  }
  if (options_.request == request.id) {
    if (++wanted_matches_ == 1) {
      wanted_ = Detail(request, /*with_nodes=*/true, components);
      wanted_unresolved_ = true;
      NoteStacks(request.path, SampleRole::kRequestWait,
                 SampleRole::kRequestExec);
    }
  }
  if (!counted) return;
  if (request.outcome == Outcome::kFailed) ++failed_;
  if (request.graph.truncated) ++truncated_;
  statistics_->all().Add(components);
  if (TailStatistics* route = statistics_->Route(request.route)) {
    route->Add(components);
  }
  for (const PathStep& step : request.path.steps) {
    ++ready_kinds_[static_cast<size_t>(step.ready_kind)];
  }
  const int64_t unix_ns =
      stream_->counts().unix_offset_ns + request.graph.ready_ns;
  bursts_.Add(Burst(stream_->meta().burst), is_tail, unix_ns,
              unix_ns + request.latency_ns());
  if (is_tail) BlameTail(request, components);
  NoteStacks(request.path,
             is_tail ? SampleRole::kTailWait : SampleRole::kRestWait,
             is_tail ? SampleRole::kTailExec : SampleRole::kRestExec);
  Describe(request, components, AddRow(request, components, is_tail));
  if (log_ != nullptr) {
    const std::string identity = Identity();
    log_->Add(request, components,
              {stream_->counts().process, stream_->counts().thread, identity,
               stream_->meta().off_cpu_available.value_or(false)},
              stream_->ContextOf(request.id));
  }
}

std::optional<uint32_t> ExplainPass::AddRow(const EndedRequest& request,
                                            const Components& components,
                                            bool is_tail) {
  if (options_.columns == nullptr) return std::nullopt;
  const RequestKey key{file_, request.ordinal};
  const std::span slowest(slowest_.data(),
                          std::min(slowest_.size(), PageColumns::kMostSlow));
  const bool slow =
      !slowest.empty() && request.latency_ns() >= slowest.back().latency_ns &&
      std::any_of(slowest.begin(), slowest.end(),
                  [key](const auto& entry) { return entry.key == key; });
  return options_.columns->Add(request, components, {is_tail, slow}, timeline_,
                               &ledger_);
}

// Of the process that is read, where its number does not tell it from others.
std::string ExplainPass::Identity() const {
  const bool needed = options_.ambiguous != nullptr &&
                      options_.ambiguous->contains(stream_->counts().process);
  return needed ? stream_->meta().identity : "";
}

// Divides each queue span by what occupied the loop; notes the spans in waits_.
Components ExplainPass::Explain(const EndedRequest& request) {
  const CriticalPath& path = request.path;
  Components components;
  auto& ns = components.ns;
  ns[Components::kLatency] = request.latency_ns();
  ns[Components::kIo] = path.io_ns;
  ns[Components::kQueue] = path.queue_ns;
  ns[Components::kExec] = path.exec_ns;
  ns[Components::kExecGc] = path.exec_gc_ns;
  waits_.clear();
  int64_t hidden_ns = 0;
  for (const QueueSpan& span : path.spans) {
    const LoopTimeline::Occupied occupied =
        timeline_.Between(span.from_ns, span.from_piece, span.to_piece);
    const int64_t own_ns =
        std::min(span.own_ns, occupied.busy_ns - occupied.unowned_ns);
    ns[Components::kQueueGc] += occupied.gc_ns;
    ns[Components::kQueueOwn] += own_ns;
    ns[Components::kQueueUnowned] += occupied.unowned_ns;
    ns[Components::kQueueOther] +=
        occupied.busy_ns - occupied.unowned_ns - own_ns;
    ns[Components::kQueueJit] += occupied.vm.jit_ns;
    ns[Components::kQueueIc] += occupied.vm.ic_ns;
    const int64_t idle_ns = span.to_ns - span.from_ns - occupied.busy_ns;
    ns[Components::kQueueLoop] += idle_ns;
    if (span.loop_slept) ns[Components::kQueueWake] += idle_ns;
    AddOff(span, idle_ns, &ns);
    // The whole of it may lie before the window.
    hidden_ns += std::min(occupied.hidden_ns, span.to_ns - span.from_ns);
    if (occupied.first < span.to_piece) {
      waits_.push_back({span.from_ns, occupied.first, span.to_piece});
    }
  }
  if (timeline_.has_vm_times()) {
    VmTimes exec;
    for (const ExecSpan& span : path.execs) {
      exec += timeline_.VmBetween(span.from_ns, span.to_ns, span.from_piece);
    }
    ns[Components::kExecJit] = exec.jit_ns;
    ns[Components::kExecIc] = exec.ic_ns;
  }
  for (const ExecSpan& span : path.execs) {
    if (timeline_.busy_off().empty()) break;
    const OffTimes off = timeline_.busy_off().Between(span.from_ns, span.to_ns);
    for (size_t kind = 0; kind < kOffCpuKinds; ++kind) {
      ns[Components::kExecOff + kind] += off.ns[kind];
    }
  }
  if (hidden_ns > 0) {
    ++hidden_requests_;
    hidden_ns_ += hidden_ns;
  }
  return components;
}

// When the thread did not run although the request was ready: `idle_ns` of the
// span nothing occupied the loop.
void ExplainPass::AddOff(const QueueSpan& span, int64_t idle_ns,
                         Times* ns) const {
  const OffTimes busy = timeline_.busy_off().Between(span.from_ns, span.to_ns);
  const OffTimes idle = timeline_.idle_off().Between(span.from_ns, span.to_ns);
  int64_t left_ns = idle_ns;  // Clocks are not read all at once.
  for (size_t kind = 0; kind < kOffCpuKinds; ++kind) {
    const int64_t idle_off_ns = std::min(idle.ns[kind], left_ns);
    left_ns -= idle_off_ns;
    (*ns)[Components::kQueueOff + kind] += busy.ns[kind] + idle_off_ns;
    (*ns)[Components::kLoopOff] += idle_off_ns;
    if (span.loop_slept) (*ns)[Components::kWakeOff] += idle_off_ns;
  }
}

void ExplainPass::BlameTail(const EndedRequest& request,
                            const Components& components) {
  const auto& ns = components.ns;
  ledger_.AddRequest(waits_,
                     {ns[Components::kQueueLoop] - ns[Components::kQueueWake],
                      ns[Components::kLoopOff] - ns[Components::kWakeOff]},
                     {ns[Components::kQueueWake], ns[Components::kWakeOff]},
                     &timeline_);
  waits_by_dependency_.AddRequest(request.graph, request.path);
  std::array<bool, kGcTypes> seen{};
  for (const GcNote& note : request.path.gc) {
    const auto type = static_cast<size_t>(note.type);
    exec_gc_[type].ns += static_cast<double>(note.end_ns - note.begin_ns);
    if (!seen[type]) ++exec_gc_[type].requests;
    seen[type] = true;
  }
}

void ExplainPass::NoteStacks(const CriticalPath& path, SampleRole wait,
                             SampleRole exec) {
  SampleTimeline& samples = timeline_.samples();
  if (samples.empty()) return;
  for (const QueueSpan& span : path.spans) {
    samples.Add(wait, span.from_ns, span.to_ns);
  }
  for (const ExecSpan& span : path.execs) {
    samples.Add(exec, span.from_ns, span.to_ns);
  }
}

RequestDetail ExplainPass::Detail(const EndedRequest& request, bool with_nodes,
                                  const Components& components) {
  RequestDetail detail =
      DescribeRequest(request, with_nodes, timeline_, &ledger_);
  detail.process = stream_->counts().process;
  detail.identity = Identity();
  detail.thread = stream_->counts().thread;
  detail.components = components;
  detail.off_cpu = stream_->meta().off_cpu_available.value_or(false);
  return detail;
}

void ExplainPass::Describe(const EndedRequest& request,
                           const Components& components,
                           std::optional<uint32_t> row) {
  if (slowest_.empty() || request.latency_ns() < slowest_.back().latency_ns) {
    return;
  }
  const RequestKey key{file_, request.ordinal};
  for (size_t i = 0; i < slowest_.size(); ++i) {
    if (slowest_[i].key != key) continue;
    details_[i] = Detail(request, /*with_nodes=*/false, components);
    details_[i]->row = row;
    unresolved_.push_back(i);
  }
}

}  // namespace edgewise
