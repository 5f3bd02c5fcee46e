#include "analysis/rows/trace_tables.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"

namespace edgewise {

absl::StatusOr<std::unique_ptr<TraceTables>> TraceTables::Create(
    const Plan& plan, const RowNames& names, const LoopTimeline* timeline) {
  std::unique_ptr<TraceTables> tables(new TraceTables(plan, names, timeline));
  if (!tables->tables_.status().ok()) return tables->tables_.status();
  return tables;
}

TraceTables::TraceTables(const Plan& plan, const RowNames& names,
                         const LoopTimeline* timeline)
    : plan_(plan),
      timeline_(timeline),
      tables_(plan.directory),
      clock_(&causes_),
      requests_(&tables_, names, &causes_),
      events_(&tables_, names),
      bins_(&tables_, plan.scratch),
      meta_(AddMeta()) {}

ParquetTable* TraceTables::AddMeta() {
  const auto text = [this](uint32_t number) { return texts_[number]; };
  return tables_.Add("meta",
                     {WholeColumn("trace"),
                      NameColumn("file", text),
                      WholeColumn("process"),
                      WholeColumn("thread"),
                      NameColumn("identity", text),
                      NameColumn("machine", text),
                      NameColumn("edgewise", text),
                      NameColumn("node", text),
                      NameColumn("provider", text),
                      NameColumn("causality", text),
                      NameColumn("mode", text),
                      NameColumn("command", text),
                      WholeColumn("start_ns"),
                      WholeColumn("dur_ns"),
                      WholeColumn("unix_ns"),
                      WholeColumn("recorded_ns"),
                      FlagColumn("ended"),
                      FlagColumn("off_cpu"),
                      FlagColumn("vm_times"),
                      WholeColumn("events"),
                      WholeColumn("records"),
                      WholeColumn("dropped"),
                      WholeColumn("lost_bytes"),
                      WholeColumn("orphaned"),
                      WholeColumn("requests"),
                      WholeColumn("aborted"),
                      WholeColumn("lost"),
                      WholeColumn("unfinished"),
                      NameColumn("percentile", text),
                      WholeColumn("threshold_ns"),
                      WholeColumn("burst")},
                     /*sorted_by=*/12);
}

void TraceTables::BeginFile(const std::string& name, const EventStream* stream,
                            const RequestRoutes* request_routes) {
  context_.Begin(name, stream, request_routes);
  counted_ = aborted_ = 0;
}

void TraceTables::AddRequest(const EndedRequest& request,
                             const Components& components,
                             const Standing& standing) {
  if (standing.counted) ++counted_;
  clock_.Advance(*timeline_, context_);
  requests_.Add(request, components, standing, &context_);
  requests_.AddBlockers(request, clock_.Of(request.path, *timeline_),
                        &context_);
  for (const QueueSpan& span : request.path.spans) {
    bins_.Waited(span.from_ns, span.to_ns);
  }
}

void TraceTables::AddAborted(const AbortedRequest& request, bool counted) {
  if (counted) ++aborted_;
  requests_.AddAborted(request, counted, &context_);
}

void TraceTables::OnEvent(const Event& event, uint64_t first_piece) {
  events_.AddEvent(event, first_piece, *timeline_, &context_);
  for (const InnerRecord& record : event.before) {
    if (record.kind == RecordKind::kGc) {
      bins_.Add(LoopBins::kBusy, record.time_ns, record.end_ns);
    }
  }
  bins_.CountEvent(event.begin_ns);
  bins_.Add(LoopBins::kBusy, event.begin_ns, event.end_ns);
  if (!event.off.empty()) AddOff(event);
  clock_.Advance(*timeline_, context_);
}

// Inside the event the thread did not run though the loop was busy.
void TraceTables::AddOff(const Event& event) {
  for (const OffSpan& span : event.off) {
    const int64_t from_ns =
        std::clamp(span.begin_ns, event.begin_ns, event.end_ns);
    const int64_t to_ns = std::clamp(span.end_ns, from_ns, event.end_ns);
    bins_.Add(LoopBins::kOff, from_ns, to_ns);
    bins_.Add(LoopBins::kIdleOff, span.begin_ns,
              std::min(span.end_ns, event.begin_ns));
  }
}

void TraceTables::OnOwner(uint32_t owner, uint32_t request, uint64_t ordinal) {
  context_.NoteOwner(owner, request, ordinal);
}

void TraceTables::OnGc(const InnerRecord& gc, int64_t ran_ns) {
  events_.AddGc(gc, ran_ns, &context_);
  bins_.Add(LoopBins::kGc, gc.time_ns, gc.end_ns);
}

void TraceTables::OnSample(size_t sample, int64_t at_ns, double weight_ns,
                           uint32_t stack) {
  events_.AddSample(sample, at_ns, weight_ns, stack);
}

void TraceTables::EndFile(const GraphCounts& graphs) {
  const StreamCounts& counts = context_.stream().counts();
  const TraceMeta& meta = context_.stream().meta();
  const auto text = [this](const std::string& value) {
    texts_.push_back(value);
    return static_cast<int64_t>(texts_.size()) - 1;
  };
  const auto whole = [](uint64_t value) { return static_cast<int64_t>(value); };
  status_.Update(bins_.EndFile(&context_));
  if (host_.empty()) host_ = meta.host;
  if (command_.empty()) command_ = meta.command;
  unix_ns_ = std::min(unix_ns_, counts.first_ns + counts.unix_offset_ns);
  key_ ^= static_cast<uint64_t>(context_.key());
  meta_->Add(std::array<int64_t, 31>{context_.key(),
                                     text(context_.name()),
                                     counts.process,
                                     counts.thread,
                                     text(meta.identity),
                                     text(meta.host),
                                     text(meta.edgewise),
                                     text(meta.node),
                                     text(meta.provider),
                                     text(meta.causality),
                                     text(meta.mode),
                                     text(meta.command),
                                     counts.first_ns,
                                     counts.last_ns - counts.first_ns,
                                     counts.first_ns + counts.unix_offset_ns,
                                     counts.recorded_ns,
                                     counts.ended,
                                     context_.off_cpu(),
                                     meta.times,
                                     whole(counts.events),
                                     whole(counts.records),
                                     whole(counts.dropped),
                                     whole(counts.lost_bytes),
                                     whole(counts.orphaned),
                                     whole(counted_),
                                     whole(aborted_),
                                     whole(graphs.lost),
                                     whole(graphs.unfinished),
                                     text(absl::StrCat(plan_.percentile)),
                                     plan_.threshold_ns,
                                     whole(meta.burst)});
  clock_.EndFile(*timeline_);
}

std::string TraceTables::Recording() const {
  constexpr int64_t kNsPerMs = 1'000'000;
  const uint64_t key = key_ >> 32 ^ (key_ & UINT32_MAX);
  const nlohmann::json json = {
      {"host", host_},
      {"command", command_},
      {"unixMs", unix_ns_ / kNsPerMs},
      {"key", absl::StrCat(absl::Hex(key, absl::kZeroPad8))}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

absl::Status TraceTables::Close() {
  status_.Update(tables_.Close());
  return status_;
}

}  // namespace edgewise
