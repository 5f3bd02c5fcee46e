#include "handover/perfetto_trace.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "handover/perfetto_kernel.h"
#include "trace/names.h"

namespace edgewise {
namespace {

using Note = PerfettoPackets::Note;

// Something on a lane.
struct Part {
  int64_t from_ns;
  int64_t to_ns;
  const QueueSpan* queue;  // null: it is none
  std::string_view name;
  std::string_view category;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PerfettoTrace>> PerfettoTrace::Create(
    const std::string& path, const std::string& directory) {
  auto file = OutputFile::Create(path, "the trace");
  if (!file.ok()) return file.status();
  return std::unique_ptr<PerfettoTrace>(
      new PerfettoTrace(*std::move(file), directory));
}

void PerfettoTrace::BeginFile(const std::string& name,
                              const EventStream* stream,
                              const RequestRoutes* request_routes) {
  Handover::BeginFile(name, stream, request_routes);
  begun_ = false;
  lanes_.clear();
  told_.clear();
}

// Once the stream has begun: whose it is, is known.
void PerfettoTrace::BeginTracks() {
  if (begun_) return;
  begun_ = true;
  const StreamCounts& counts = context_.stream().counts();
  const TraceMeta& meta = context_.stream().meta();
  packets_.BeginSequence(counts.first_ns, counts.unix_offset_ns);
  const auto [found, added] =
      processes_.try_emplace({meta.identity, counts.process}, tracks_ + 1);
  process_ = found->second;
  if (added) {
    ++tracks_;
    packets_.ProcessTrack(
        process_, counts.process,
        meta.command.empty() ? std::string_view("Node.js") : meta.command);
  }
  thread_ = ++tracks_;
  const std::string name =
      counts.thread == 0 ? "event loop"
                         : absl::StrCat("event loop of worker ", counts.thread);
  packets_.Track(thread_, process_, name);
  const bool anew =
      told_of_kernel_.insert({counts.process, counts.thread}).second;
  if (!anew || directory_.empty()) return;
  PerfettoKernel(&packets_, &tracks_)
      .Add(directory_, {counts.process, counts.thread, process_, name});
}

void PerfettoTrace::OnEvent(const Event& event, uint64_t first_piece) {
  BeginTracks();
  uint64_t inside = first_piece;
  while (inside < timeline_->next() &&
         timeline_->At(inside).end_ns <= event.begin_ns) {
    ++inside;
  }
  AddPieces(first_piece, inside);
  while (!told_.empty() && told_.front().first_piece < timeline_->first()) {
    told_.pop_front();
  }
  told_.push_back({first_piece, ++flows_});
  packets_.Begin(
      thread_, event.begin_ns,
      {.name = EventTypeName(event.type), .category = "event", .flow = flows_});
  AddPieces(inside, timeline_->next());
  packets_.End(thread_, event.end_ns);
}

// Those in a row that are of one request are one slice.
void PerfettoTrace::AddPieces(uint64_t from, uint64_t to) {
  for (uint64_t i = from; i < to;) {
    const Piece& first = timeline_->At(i);
    int64_t end_ns = first.end_ns;
    uint64_t next = i + 1;
    const auto goes_on = [&] {
      if (next >= to) return false;
      const Piece& piece = timeline_->At(next);
      return piece.begin_ns == end_ns && piece.owner == first.owner &&
             piece.is_gc == first.is_gc && piece.off == first.off &&
             (!piece.is_gc || piece.type == first.type) &&
             (!piece.off || piece.why == first.why);
    };
    for (; goes_on(); ++next) end_ns = timeline_->At(next).end_ns;
    i = next;
    if (first.owner == 0 && !first.is_gc && !first.off) continue;
    std::array<Note, 1> notes;
    size_t noted = 0;
    std::string name;
    const char* category = "request";
    if (first.owner != 0) {
      notes[noted++] = {"request", context_.RequestOf(first.owner)};
    }
    if (first.off) {
      name = absl::StrCat("not running: ", OffCpuKindName(first.why));
      category = "off";
    } else if (first.is_gc) {
      name = absl::StrCat("GC ", GcTypeName(static_cast<GcType>(first.type)));
      category = "gc";
    } else {
      name = names_.routes->Text(context_.RouteOf(first.owner));
    }
    packets_.Begin(thread_, first.begin_ns,
                   {.name = name,
                    .category = category,
                    .notes = std::span(notes).first(noted)});
    packets_.End(thread_, end_ns);
  }
}

uint64_t PerfettoTrace::LaneFor(const EndedRequest& request) {
  for (Lane& lane : lanes_) {
    if (lane.free_ns > request.graph.ready_ns) continue;
    lane.free_ns = request.end_ns;
    return lane.track;
  }
  lanes_.push_back({++tracks_, request.end_ns});
  packets_.Track(tracks_, process_, "requests");
  return tracks_;
}

void PerfettoTrace::AddRequest(const EndedRequest& request,
                               const Components& components,
                               const Standing& standing) {
  using C = Components;
  BeginTracks();
  const uint64_t lane = LaneFor(request);
  const auto& ns = components.ns;
  const std::array<Note, 7> notes = {
      Note{"request", request.id},
      {"status", request.status},
      {"tail", standing.tail},
      {"io_ns", ns[C::kIo]},
      {"queue_ns", ns[C::kQueue]},
      {"exec_ns", ns[C::kExec]},
      {"gc_ns", ns[C::kExecGc] + ns[C::kQueueGc]}};
  packets_.Begin(lane, request.graph.ready_ns,
                 {.name = names_.routes->Text(request.route),
                  .category = "request",
                  .notes = notes});
  AddPath(lane, request, standing.tail);
  packets_.End(lane, request.end_ns);
  ++written_;
}

void PerfettoTrace::AddPath(uint64_t lane, const EndedRequest& request,
                            bool tail) {
  const CriticalPath& path = request.path;
  std::vector<Part> parts;
  for (const PathStep& step : path.steps) {
    if (step.io_ns == 0) continue;
    const Node& node = request.graph.At(step.node);
    const int64_t from_ns =
        step.end_ns - step.io_ns - step.queue_ns - step.exec_ns;
    parts.push_back({from_ns, from_ns + step.io_ns, nullptr,
                     node.call == DependencyTable::kUnknown
                         ? names_.dependencies->At(node.dependency).kind
                         : names_.dependencies->Call(node.call),
                     "io"});
  }
  for (const QueueSpan& span : path.spans) {
    parts.push_back({span.from_ns, span.to_ns, &span, "queued", "queue"});
  }
  for (const ExecSpan& span : path.execs) {
    parts.push_back({span.from_ns, span.to_ns, nullptr, "running", "run"});
  }
  std::sort(parts.begin(), parts.end(), [](const Part& one, const Part& other) {
    return one.from_ns < other.from_ns;
  });
  behind_.clear();
  for (const Part& part : parts) {
    if (part.to_ns <= part.from_ns) continue;
    // A flow ends where what had waited runs: after what it waited for.
    const bool ends = !behind_.empty() && part.category == "run";
    packets_.Begin(lane, part.from_ns,
                   {.name = part.name,
                    .category = part.category,
                    .from = ends ? std::span<const uint64_t>(behind_)
                                 : std::span<const uint64_t>()});
    packets_.End(lane, part.to_ns);
    if (ends) behind_.clear();
    if (tail && part.queue != nullptr) FlowsBehind(*part.queue);
  }
}

// The events that ran meanwhile, the latest where there are many.
const std::vector<uint64_t>& PerfettoTrace::FlowsBehind(const QueueSpan& span) {
  const auto before = [](uint64_t piece, const Told& told) {
    return piece < told.first_piece;
  };
  auto last =
      std::upper_bound(told_.begin(), told_.end(), span.to_piece, before);
  behind_.clear();
  while (last != told_.begin() && behind_.size() < kMostFlows) {
    --last;
    if (last->first_piece < span.to_piece) behind_.push_back(last->flow);
    if (last->first_piece <= span.from_piece) break;
  }
  return behind_;
}

}  // namespace edgewise
