#include "handover/span_log.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/requests/request_detail.h"
#include "trace/names.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

// The same requests of a trace each time.
double PlaceOf(int64_t trace, uint32_t request) {
  uint64_t x = static_cast<uint64_t>(trace) ^ (uint64_t{request} << 32);
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

std::string KeyText(int64_t key) {
  return absl::StrCat(absl::Hex(static_cast<uint64_t>(key), absl::kZeroPad16));
}

// Other requests that ran while it waited, with how long; the longest first.
Json BlockersJson(const EndedRequest& request, size_t most,
                  const RowContext& context, const LoopTimeline& timeline) {
  absl::flat_hash_map<uint32_t, int64_t> ns_of;
  ForEachBlocker(request, timeline, [&](uint32_t owner, int64_t ns) {
    ns_of[context.RequestOf(owner)] += ns;
  });
  std::vector<std::pair<uint32_t, int64_t>> blockers(ns_of.begin(),
                                                     ns_of.end());
  std::sort(blockers.begin(), blockers.end(),
            [](const auto& one, const auto& other) {
              return one.second != other.second ? one.second > other.second
                                                : one.first < other.first;
            });
  if (blockers.size() > most) blockers.resize(most);
  Json json = Json::array();
  for (const auto& [other, ns] : blockers) {
    Json blocker = {other, ns};
    if (const auto* of = context.stream().ContextOf(other)) {
      blocker.push_back(of->TraceId());
    }
    json.push_back(std::move(blocker));
  }
  return json;
}

Json StepsJson(const EndedRequest& request, const RowNames& names) {
  Json steps = Json::array();
  ForEachDetailStep(request, [&](const DetailStep& step, uint32_t, uint32_t) {
    Json json = {{"type", EventTypeName(step.type)},
                 {"io_ns", step.io_ns},
                 {"queue_ns", step.queue_ns},
                 {"exec_ns", step.exec_ns},
                 {"gc_ns", step.gc_ns}};
    if (step.io_ns > 0) {
      const Dependency& dependency = names.dependencies->At(step.dependency);
      json["dependency"] = dependency.kind;
      if (!dependency.peer.empty()) json["peer"] = dependency.peer;
      if (step.call != DependencyTable::kUnknown) {
        json["call"] = names.dependencies->Call(step.call);
      }
    }
    if (step.merged > 1) json["merged"] = step.merged;
    steps.push_back(std::move(json));
  });
  return steps;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SpanLog>> SpanLog::Create(const Plan& plan) {
  auto file = OutputFile::Create(plan.path, "the spans");
  if (!file.ok()) return file.status();
  return std::unique_ptr<SpanLog>(new SpanLog(plan, *std::move(file)));
}

bool SpanLog::IsChosen(const EndedRequest& request, const Standing& standing) {
  if (!standing.counted) return false;
  if (!standing.tail && PlaceOf(context_.key(), request.id) >= plan_.sample) {
    return false;
  }
  if (plan_.most == 0 || written_ < plan_.most) return true;
  ++left_out_;
  return false;
}

void SpanLog::AddRequest(const EndedRequest& request,
                         const Components& components,
                         const Standing& standing) {
  using C = Components;
  if (!IsChosen(request, standing)) return;
  const StreamCounts& counts = context_.stream().counts();
  const auto& ns = components.ns;
  Json json = {
      {"trace", KeyText(context_.key())},
      {"request", request.id},
      {"process", counts.process},
      {"thread", counts.thread},
      {"command", context_.stream().meta().command},
      {"host", context_.stream().meta().host},
      {"node", context_.stream().meta().node},
      {"route", names_.routes->Text(request.route)},
      {"kind", RequestKindName(request.graph.kind)},
      {"status", request.status},
      {"outcome", OutcomeName(request.outcome)},
      {"tail", standing.tail},
      {"unix_ns", absl::StrCat(request.graph.ready_ns + counts.unix_offset_ns)},
      {"latency_ns", ns[C::kLatency]},
      {"io_ns", ns[C::kIo]},
      {"queue_ns", ns[C::kQueue]},
      {"exec_ns", ns[C::kExec]},
      {"gc_ns", ns[C::kExecGc] + ns[C::kQueueGc]},
      {"steps", StepsJson(request, names_)},
      {"blockers",
       BlockersJson(request, plan_.blockers, context_, *timeline_)}};
  if (const auto* context = context_.stream().ContextOf(request.id)) {
    json["trace_id"] = context->TraceId();
    json["parent_span_id"] = context->ParentId();
    json["trace_flags"] = context->flags;
  }
  absl::StrAppend(&file_->buffer(),
                  json.dump(-1, ' ', false, Json::error_handler_t::replace),
                  "\n");
  file_->Added();
  ++written_;
}

}  // namespace edgewise
