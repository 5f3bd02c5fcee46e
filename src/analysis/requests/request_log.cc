#include "analysis/requests/request_log.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace edgewise {

absl::StatusOr<std::unique_ptr<RequestLog>> RequestLog::Create(
    const std::string& path, const RouteTable* routes) {
  auto file = OutputFile::Create(path, "the requests");
  if (!file.ok()) return file.status();
  return std::unique_ptr<RequestLog>(new RequestLog(*std::move(file), routes));
}

const std::string& RequestLog::QuotedRoute(uint32_t route) {
  if (route >= quoted_.size()) quoted_.resize(route + 1);
  if (quoted_[route].empty()) {
    quoted_[route] =
        nlohmann::json(routes_->Text(route))
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return quoted_[route];
}

void RequestLog::Add(const EndedRequest& request, const Components& components,
                     const Place& place, const TraceContext* context) {
  const auto& ns = components.ns;
  std::string* const buffer = &file_->buffer();
  absl::StrAppend(buffer, "{\"id\":", request.id,
                  ",\"process\":", place.process, ",\"thread\":", place.thread);
  if (!place.identity.empty()) {
    const nlohmann::json quoted(place.identity);
    absl::StrAppend(
        buffer, ",\"identity\":",
        quoted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  absl::StrAppend(buffer, ",\"route\":", QuotedRoute(request.route),
                  ",\"status\":", request.status);
  absl::StrAppend(buffer, ",\"start_ns\":", request.graph.ready_ns,
                  ",\"end_ns\":", request.end_ns,
                  ",\"latency_ns\":", ns[Components::kLatency],
                  ",\"io_ns\":", ns[Components::kIo],
                  ",\"queue_ns\":", ns[Components::kQueue]);
  absl::StrAppend(buffer, ",\"exec_ns\":", ns[Components::kExec], ",\"gc_ns\":",
                  ns[Components::kExecGc] + ns[Components::kQueueGc]);
  const int64_t off_ns = components.OffAt(Components::kExecOff).total_ns() +
                         components.OffAt(Components::kQueueOff).total_ns();
  absl::StrAppend(buffer, ",\"not_running_ns\":",
                  place.off_cpu ? absl::StrCat(off_ns) : "null");
  const Doubts doubts = DoubtsOf(request.graph, request.path);
  absl::StrAppend(buffer, ",\"inferred\":", doubts.inferred,
                  ",\"bounds\":", doubts.bounds);
  if (context != nullptr) {
    absl::StrAppend(buffer, ",\"trace_id\":\"", context->TraceId(),
                    "\",\"parent_span_id\":\"", context->ParentId(), "\"");
  }
  absl::StrAppend(buffer, "}\n");
  file_->Added();
}

}  // namespace edgewise
