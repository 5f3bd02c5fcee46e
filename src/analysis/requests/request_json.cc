#include "analysis/requests/request_json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/names.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kBlockedBy = 3;

std::string CauseText(Blocker::Kind kind, uint32_t route, uint8_t type,
                      const RouteTable& routes) {
  switch (kind) {
    case Blocker::Kind::kRequest:
      return absl::StrCat(routes.Text(route), " ",
                          EventTypeName(static_cast<EventType>(type)));
    case Blocker::Kind::kEvent:
      return absl::StrCat("(no request) ",
                          EventTypeName(static_cast<EventType>(type)));
    case Blocker::Kind::kGc:
      return absl::StrCat("GC ", GcTypeName(static_cast<GcType>(type)));
    case Blocker::Kind::kJit:
      return "JIT compilation";
    case Blocker::Kind::kIc:
      return "IC misses";
    case Blocker::Kind::kWake:
      return "(waking up)";
    case Blocker::Kind::kLoop:
      break;
  }
  return "(between callbacks)";
}

const char* KindName(Blocker::Kind kind) {
  switch (kind) {
    case Blocker::Kind::kRequest:
      return "request";
    case Blocker::Kind::kEvent:
      return "event";
    case Blocker::Kind::kGc:
      return "gc";
    case Blocker::Kind::kJit:
      return "jit";
    case Blocker::Kind::kIc:
      return "ic";
    case Blocker::Kind::kWake:
      return "wake";
    case Blocker::Kind::kLoop:
      break;
  }
  return "loop";
}

Json StepJson(const DetailStep& step, int64_t start_ns,
              const RouteTable& routes, const DependencyTable& dependencies) {
  Json json;
  json["node"] = step.node;
  if (step.merged > 1) json["steps"] = step.merged;
  json["type"] = EventTypeName(step.type);
  json["slice"] = step.slice;
  json["ready_kind"] = ReadyKindName(step.ready_kind);
  json["inferred"] = step.inferred;
  json["dependency"] = step.io_ns > 0
                           ? Json(dependencies.At(step.dependency).what())
                           : Json(nullptr);
  json["call"] = step.io_ns > 0 && step.call != DependencyTable::kUnknown
                     ? Json(dependencies.Call(step.call))
                     : Json(nullptr);
  json["io_ns"] = step.io_ns;
  json["queue_ns"] = step.queue_ns;
  json["exec_ns"] = step.exec_ns;
  json["gc_ns"] = step.gc_ns;
  json["begin_ns"] = step.begin_ns - start_ns;
  json["end_ns"] = step.end_ns - start_ns;
  Json blocked = Json::array();
  for (size_t i = 0; i < std::min(kBlockedBy, step.blocked_by.size()); ++i) {
    const BlockedBy& cause = step.blocked_by[i];
    blocked.push_back(
        {{"what", CauseText(cause.kind, cause.route, cause.type, routes)},
         {"ns", cause.ns}});
  }
  json["blocked_by"] = std::move(blocked);
  return json;
}

Json NodesJson(const RequestDetail& detail) {
  Json nodes = Json::array();
  for (size_t i = 0; i < detail.nodes.size(); ++i) {
    const Node& node = detail.nodes[i];
    const uint32_t index = detail.indices[i];
    Json json;
    json["index"] = index;
    json["event"] =
        node.event == Node::kNoEvent ? Json(nullptr) : Json(node.event);
    json["type"] = EventTypeName(node.type);
    json["slice"] = (node.flags & Node::kSlice) != 0;
    json["parent"] = index == 0 ? Json(nullptr) : Json(node.parent);
    json["inferred"] = (node.flags & Node::kInferred) != 0;
    json["ready_kind"] = ReadyKindName(node.ready_kind);
    json["ready_ns"] = node.ready_kind == ReadyKind::kNone
                           ? Json(nullptr)
                           : Json(node.ready_ns - detail.ready_ns);
    json["begin_ns"] = node.begin_ns - detail.ready_ns;
    // The sink's slice was still open when the request ended.
    const int64_t end_ns = (node.flags & Node::kSink) != 0
                               ? detail.end_ns
                               : std::max(node.end_ns, node.begin_ns);
    json["end_ns"] = std::min(end_ns, detail.end_ns) - detail.ready_ns;
    json["on_path"] = bool{detail.on_path[i]};
    nodes.push_back(std::move(json));
  }
  return nodes;
}

}  // namespace

Json ShareJson(double part, double whole) {
  return whole > 0 ? Json(std::round(part / whole * 1e6) / 1e6) : Json(nullptr);
}

Json CauseJson(Blocker::Kind kind, uint32_t route, uint8_t type,
               const RouteTable& routes) {
  Json json;
  json["what"] = CauseText(kind, route, type, routes);
  json["kind"] = KindName(kind);
  if (kind == Blocker::Kind::kRequest) json["route"] = routes.Text(route);
  if (kind == Blocker::Kind::kGc) {
    json["type"] = GcTypeName(static_cast<GcType>(type));
  } else if (kind == Blocker::Kind::kRequest || kind == Blocker::Kind::kEvent) {
    json["type"] = EventTypeName(static_cast<EventType>(type));
  }
  return json;
}

Json DetailJson(const RequestDetail& detail, const RouteTable& routes,
                const DependencyTable& dependencies) {
  const auto& ns = detail.components.ns;
  Json json;
  json["id"] = detail.id;
  json["process"] = detail.process;
  json["thread"] = detail.thread;
  if (!detail.identity.empty()) json["identity"] = detail.identity;
  json["route"] = routes.Text(detail.route);
  json["kind"] = RequestKindName(detail.kind);
  json["status"] = detail.status;
  json["outcome"] = OutcomeName(detail.outcome);
  json["truncated"] = detail.truncated;
  json["start_ns"] = detail.ready_ns;
  json["end_ns"] = detail.end_ns;
  json["latency_ns"] = ns[Components::kLatency];
  json["io_ns"] = ns[Components::kIo];
  json["queue_ns"] = ns[Components::kQueue];
  json["exec_ns"] = ns[Components::kExec];
  json["gc_ns"] = ns[Components::kExecGc] + ns[Components::kQueueGc];
  json["not_running"] = detail.off_cpu ? OffJson([&](size_t kind) {
    return ns[Components::kExecOff + kind] + ns[Components::kQueueOff + kind];
  })
                                       : Json(nullptr);
  Json path = Json::array();
  for (const DetailStep& step : detail.path) {
    path.push_back(StepJson(step, detail.ready_ns, routes, dependencies));
  }
  json["path"] = std::move(path);
  if (!detail.nodes.empty()) json["nodes"] = NodesJson(detail);
  return json;
}

}  // namespace edgewise
