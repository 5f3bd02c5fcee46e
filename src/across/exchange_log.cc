#include "across/exchange_log.h"

#include <set>
#include <tuple>

namespace edgewise {
namespace {

// Behind whom less was waited is not looked for.
constexpr int64_t kNoticedNs = 100'000;

}  // namespace

void ExchangeLog::BeginFile(const std::string& name, const EventStream* stream,
                            const RequestRoutes* request_routes) {
  RowWatcher::BeginFile(name, stream, request_routes);
  begun_ = false;
}

// What a file is of is known once it is read.
void ExchangeLog::BeginRows() {
  const TraceMeta& meta = context_.stream().meta();
  const StreamCounts& counts = context_.stream().counts();
  const std::string& own = meta.service.empty() ? meta.command : meta.service;
  const uint16_t service = exchanges_->names.Service(own);
  if (service != service_ || file_ == 0) routes_.clear();
  service_ = service;
  exchanges_->files.push_back({service_, context_.name(), counts.process,
                               counts.thread, counts.unix_offset_ns});
  file_ = static_cast<uint32_t>(exchanges_->files.size());
  clock_ = exchanges_->clocks
               .try_emplace(meta.clock,
                            static_cast<uint16_t>(exchanges_->clocks.size()))
               .first->second;
  begun_ = true;
}

uint32_t ExchangeLog::RouteOf(uint32_t route) {
  if (route >= routes_.size()) routes_.resize(route + 1);
  if (routes_[route] == ServiceNames::kNoRoute) {
    routes_[route] =
        exchanges_->names.Route(service_, names_.routes->Text(route));
  }
  return routes_[route];
}

void ExchangeLog::AddRequest(const EndedRequest& request,
                             const Components& components,
                             const Standing& standing) {
  using C = Components;
  if (!begun_) BeginRows();
  const RequestGraph& graph = request.graph;
  const auto& ns = components.ns;
  const uint64_t name = context_.stream().NameOf(request.id);
  NoteOpened(graph);
  const bool placed = graph.link != 0 && graph.received != kUnknownOffset;
  if (placed || name != 0) {
    ServedRow row{};
    row.link = row.via = graph.link;
    row.ready_ns = graph.ready_ns;
    row.begin_ns = graph.At(0).begin_ns;
    row.end_ns = request.end_ns;
    row.io_ns = ns[C::kIo];
    row.queue_ns = ns[C::kQueue];
    row.exec_ns = ns[C::kExec];
    row.gc_ns = ns[C::kExecGc] + ns[C::kQueueGc];
    row.off_ns = components.OffAt(C::kExecOff).total_ns() +
                 components.OffAt(C::kQueueOff).total_ns();
    row.received = graph.received;
    row.of_stream = graph.kind == RequestKind::kHttp2 ? 1 : 0;
    row.session = graph.session;
    row.file = file_;
    row.request = request.id;
    row.route = RouteOf(request.route);
    row.service = service_;
    row.clock = clock_;
    if (row.queue_ns >= kNoticedNs) NoteBlocker(request, &row);
    if (placed) exchanges_->served.Add(row);
    if (name != 0) {
      row.link = name;
      exchanges_->named.Add(row);
    }
  }
  if (!standing.counted) return;
  // An answer that had come before its caller could wait for it took no I/O:
  // it counts once, by the first step that it has resumed.
  std::set<std::tuple<uint64_t, uint32_t, uint64_t>> told;
  const auto& steps = request.path.steps;
  for (const bool waited : {true, false}) {
    for (size_t i = steps.size(); i-- > 0;) {
      const Node& node = graph.At(steps[i].node);
      if (node.link == 0 && node.context == 0) continue;
      if ((steps[i].io_ns > 0) != waited) continue;
      const bool anew =
          told.insert({node.link, node.asked, node.context}).second;
      if (!anew && !waited) continue;
      AddCall(request, static_cast<uint32_t>(i), standing.tail);
    }
  }
}

void ExchangeLog::NoteOpened(const RequestGraph& graph) {
  uint64_t last = 0;
  for (const Node& node : graph.nodes) {
    if (node.link == 0 || node.link == last) continue;
    exchanges_->opened.insert(last = node.link);
  }
}

void ExchangeLog::AddCall(const EndedRequest& request, uint32_t place,
                          bool tail) {
  const auto& steps = request.path.steps;
  const PathStep& step = steps[place];
  const Node& node = request.graph.At(step.node);
  CalledRow row{};
  row.link = node.link;
  row.read_ns = step.end_ns - step.exec_ns;
  row.end_ns = row.read_ns - step.queue_ns;
  row.begin_ns = row.end_ns - step.io_ns;
  row.asked = node.asked;
  row.of_stream = node.of_stream ? 1 : 0;
  row.asked_ns = node.asked_ns;
  row.caller_begin_ns = request.graph.At(0).begin_ns;
  row.context = node.context;
  row.session = node.session;
  row.file = file_;
  row.request = request.id;
  row.route = RouteOf(request.route);
  row.step = static_cast<uint32_t>(steps.size()) - 1 - place;
  row.service = service_;
  row.clock = clock_;
  row.tail = tail ? 1 : 0;
  exchanges_->called.Add(row);
}

// Requests of which route it has waited behind longest.
void ExchangeLog::NoteBlocker(const EndedRequest& request, ServedRow* row) {
  behind_.clear();
  ForEachBlocker(request, *timeline_, [this](uint32_t owner, int64_t ns) {
    behind_[context_.RouteOf(owner)] += ns;
  });
  for (const auto& [route, ns] : behind_) {
    if (ns <= row->blocked_ns) continue;
    row->blocked_ns = ns;
    row->blocker = RouteOf(route);
  }
}

}  // namespace edgewise
