#include "compare/reading/side_reader.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/requests/request_json.h"

namespace edgewise {
namespace {

Recorded RecordedOf(const TraceMeta& meta, const StreamCounts& counts) {
  Recorded recorded;
  recorded.how = {absl::StrCat("causality ", meta.causality),
                  absl::StrCat("mode ", meta.mode),
                  absl::StrCat("provider ", meta.provider)};
  recorded.records = counts.records;
  // What was lost in bytes was at least so many.
  recorded.dropped =
      counts.dropped + (counts.lost_bytes + kRecordBytes - 1) / kRecordBytes;
  return recorded;
}

// The name of a number, which is asked for once.
template <typename Find>
uint32_t Named(uint32_t number, std::vector<uint32_t>* names, Find find) {
  constexpr uint32_t kUnnamed = UINT32_MAX;
  if (number >= names->size()) names->resize(number + 1, kUnnamed);
  if ((*names)[number] == kUnnamed) (*names)[number] = find();
  return (*names)[number];
}

}  // namespace

void SideReader::Begin(const RowNames& names, const LoopTimeline* timeline) {
  RowWatcher::Begin(names, timeline);
}

void SideReader::BeginFile(const std::string& name, const EventStream* stream,
                           const RequestRoutes* request_routes) {
  RowWatcher::BeginFile(name, stream, request_routes);
  run_ = {};
  busy_ns_ = 0;
  clients_ = 0;
  client_of_fd_.clear();
}

void SideReader::OnEvent(const Event& event, uint64_t /*first_piece*/) {
  for (const InnerRecord& record : event.before) {
    if (record.kind == RecordKind::kGc) {
      busy_ns_ += static_cast<double>(record.end_ns - record.time_ns);
    }
  }
  busy_ns_ += static_cast<double>(event.end_ns - event.begin_ns);
  clock_.Advance(*timeline_, context_);
}

void SideReader::AddRequest(const EndedRequest& request,
                            const Components& components,
                            const Standing& standing) {
  using C = Components;
  if (!standing.counted) return;
  clock_.Advance(*timeline_, context_);
  const auto& ns = components.ns;
  const int64_t off_ns = components.OffAt(C::kExecOff).total_ns();
  ComparedRequest compared{};
  compared.at_ns =
      request.graph.ready_ns + context_.stream().counts().unix_offset_ns;
  compared.latency_ns = static_cast<float>(ns[C::kLatency]);
  compared.route = RouteName(request.route);
  compared.parts_ns = {
      static_cast<float>(ns[C::kIo]), static_cast<float>(ns[C::kQueue]),
      static_cast<float>(ns[C::kExec] - ns[C::kExecGc] - off_ns),
      static_cast<float>(ns[C::kExecGc]), static_cast<float>(off_ns)};
  NoteClient(request.graph, &compared);
  compared.first_detail = static_cast<uint32_t>(run_.details.size());
  AddDetails(request);
  compared.details =
      static_cast<uint32_t>(run_.details.size()) - compared.first_detail;
  run_.requests.push_back(compared);
}

// How long the request before it on its connection was is known only now.
void SideReader::NoteClient(const RequestGraph& graph,
                            ComparedRequest* request) {
  if (graph.fd == kNoFd) return;
  const auto [it, first] = client_of_fd_.try_emplace(graph.fd);
  Client& client = it->second;
  const bool begun = graph.connection == ConnectionUse::kNew;
  if (first || begun) client = {++clients_};
  const bool known = client.latest >= 0 && client.received != kUnknownOffset &&
                     graph.received != kUnknownOffset;
  const uint32_t bytes = graph.received - client.received;
  if (known && bytes > 0) {
    run_.requests[static_cast<size_t>(client.latest)].bytes =
        static_cast<float>(bytes);
  }
  client.received = graph.received;
  client.latest = static_cast<int64_t>(run_.requests.size());
  request->client = client.number;
}

void SideReader::AddDetails(const EndedRequest& request) {
  for (const PathStep& step : request.path.steps) {
    if (step.io_ns == 0) continue;
    run_.details.push_back(
        {DependencyName(request.graph.At(step.node).dependency),
         static_cast<float>(step.io_ns)});
  }
  for (const CauseClock::Part& part : clock_.Of(request.path, *timeline_)) {
    run_.details.push_back(
        {CauseName(part.cause), static_cast<float>(part.ns)});
  }
}

uint32_t SideReader::RouteName(uint32_t route) {
  return Named(route, &route_names_,
               [&] { return table_->Route(names_.routes->Text(route)); });
}

uint32_t SideReader::DependencyName(uint32_t dependency) {
  return Named(dependency, &dependency_names_, [&] {
    return table_->Detail(LatencyPart::kIo,
                          names_.dependencies->At(dependency).what());
  });
}

uint32_t SideReader::CauseName(uint32_t number) {
  return Named(number, &cause_names_, [&] {
    const CauseTable::Cause& cause = causes_.causes()[number];
    const auto json =
        CauseJson(cause.kind, cause.route, cause.type, *names_.routes);
    return table_->Detail(LatencyPart::kQueue, json["what"].get<std::string>());
  });
}

void SideReader::EndFile(const GraphCounts& /*counts*/) {
  const StreamCounts& counts = context_.stream().counts();
  const TraceMeta& meta = context_.stream().meta();
  if (!run_.requests.empty()) {
    const auto [first, last] = std::minmax_element(
        run_.requests.begin(), run_.requests.end(),
        [](const ComparedRequest& one, const ComparedRequest& other) {
          return one.at_ns < other.at_ns;
        });
    run_.begin_ns = first->at_ns;
    run_.end_ns = last->at_ns;
  }
  files_.push_back({counts.process, counts.thread, meta.node,
                    RecordedOf(meta, counts), busy_ns_,
                    static_cast<double>(counts.last_ns - counts.first_ns),
                    std::move(run_)});
  clock_.EndFile(*timeline_);
}

absl::Status SideReader::Close() { return absl::OkStatus(); }

}  // namespace edgewise
