#include "analysis/rows/event_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "trace/names.h"

namespace edgewise {
namespace {

std::vector<ParquetColumn> EventColumns() {
  return {WholeColumn("trace"),
          WholeColumn("event"),
          FlagColumn("first"),
          NameColumn("type", TextOfEnum(EventTypeName)),
          NameColumn("ready_kind", TextOfEnum(ReadyKindName)),
          Perhaps(WholeColumn("ready_ns")),
          WholeColumn("start_ns"),
          WholeColumn("dur_ns"),
          Perhaps(WholeColumn("request")),
          WholeColumn("gc_ns"),
          Perhaps(WholeColumn("not_running_ns"))};
}
constexpr size_t kEventStart = 6;

std::vector<ParquetColumn> GcColumns() {
  return {WholeColumn("trace"),
          NameColumn("type", TextOfEnum(GcTypeName)),
          Perhaps(NameColumn("reason", GcReasonName)),
          WholeColumn("start_ns"),
          WholeColumn("dur_ns"),
          WholeColumn("unix_ns"),
          Perhaps(WholeColumn("not_running_ns"))};
}
constexpr size_t kGcStart = 3;

// Functions from the outermost to the one that ran, separated by semicolons, as
// folded stacks have them.
std::string Folded(const StackTree& stacks, uint32_t node) {
  constexpr size_t kMost = 64;
  std::vector<std::string> names;
  for (; node != 0 && names.size() < kMost; node = stacks.At(node).parent) {
    const std::string& name = stacks.Text(stacks.At(node).frame.function);
    names.push_back(name.empty() ? "(anonymous)" : name);
  }
  std::string text;
  for (size_t i = names.size(); i-- > 0;) {
    text += names[i];
    if (i > 0) text += ';';
  }
  return text;
}

std::vector<ParquetColumn> StackColumns(const StackTree* stacks) {
  const auto frame = [stacks](uint32_t node) -> const StackTree::Frame& {
    return stacks->At(node).frame;
  };
  const auto place = [=](uint32_t node) {
    return std::to_string(frame(node).line) + ":" +
           std::to_string(frame(node).column);
  };
  return {
      WholeColumn("trace"),
      Perhaps(WholeColumn("request")),
      WholeColumn("start_ns"),
      WholeColumn("weight_ns"),
      FlagColumn("first"),
      NameColumn("function",
                 [=](uint32_t n) { return stacks->Text(frame(n).function); }),
      NameColumn("script",
                 [=](uint32_t n) { return stacks->Text(frame(n).script); }),
      NameColumn("place", place),
      NameColumn("stack", [=](uint32_t n) { return Folded(*stacks, n); })};
}
constexpr size_t kStackStart = 2;

}  // namespace

EventRows::EventRows(TableDirectory* tables, const RowNames& names)
    : events_(tables->Add("events", EventColumns(), kEventStart)),
      gcs_(tables->Add("gcs", GcColumns(), kGcStart)),
      stacks_(tables->Add("stacks", StackColumns(names.stacks), kStackStart)) {}

void EventRows::AddGc(const InnerRecord& gc, int64_t ran_ns,
                      RowContext* context) {
  const int64_t dur_ns = gc.end_ns - gc.time_ns;
  gcs_->Add(std::array<int64_t, 7>{
      context->key(), gc.type,
      gc.aux == 0 ? ParquetTable::kNone : int64_t{gc.aux}, gc.time_ns, dur_ns,
      gc.time_ns + context->stream().counts().unix_offset_ns,
      context->off_cpu() ? dur_ns - ran_ns : ParquetTable::kNone});
}

void EventRows::FindSlices(const Event& event, uint64_t first_piece,
                           const LoopTimeline& timeline) {
  slices_.clear();
  const uint64_t from = std::max(first_piece, timeline.first());
  for (uint64_t number = from; number < timeline.next(); ++number) {
    const Piece& piece = timeline.At(number);
    if (piece.begin_ns < event.begin_ns) continue;  // between events
    Slice* slice = slices_.empty() ? nullptr : &slices_.back();
    if (!piece.is_gc && slice != nullptr && !slice->owner) {
      slice->owner = piece.owner;
      slice->type = piece.type;
    }
    const bool goes_on =
        slice != nullptr && (piece.is_gc || (slice->owner == piece.owner &&
                                             slice->type == piece.type));
    if (!goes_on) {
      slices_.push_back({piece.begin_ns, 0, std::nullopt,
                         static_cast<uint8_t>(event.type), 0, 0});
      slice = &slices_.back();
      if (!piece.is_gc) {
        slice->owner = piece.owner;
        slice->type = piece.type;
      }
    }
    slice->end_ns = piece.end_ns;
    const int64_t ns = piece.end_ns - piece.begin_ns;
    if (piece.off) slice->off_ns += ns;
    if (piece.is_gc && !piece.off) slice->gc_ns += ns;
  }
  if (slices_.empty()) {
    slices_.push_back({event.begin_ns, event.end_ns, std::nullopt,
                       static_cast<uint8_t>(event.type), 0, 0});
  }
}

void EventRows::AddEvent(const Event& event, uint64_t first_piece,
                         const LoopTimeline& timeline, RowContext* context) {
  FindSlices(event, first_piece, timeline);
  for (const Slice& slice : slices_) {
    AddSlice(event, slice, &slice == slices_.data(), context);
  }
  if (!event.samples.empty()) AddSamples(event, timeline, context);
  samples_.clear();
}

void EventRows::AddSlice(const Event& event, const Slice& slice, bool first,
                         RowContext* context) {
  const uint32_t owner = slice.owner.value_or(0);
  const bool ready = event.ready_kind != ReadyKind::kNone;
  events_->Add(std::array<int64_t, 11>{
      context->key(), static_cast<int64_t>(event.sequence), first, slice.type,
      static_cast<int64_t>(event.ready_kind),
      ready ? event.ready_ns : ParquetTable::kNone, slice.begin_ns,
      slice.end_ns - slice.begin_ns,
      owner == 0 ? ParquetTable::kNone : int64_t{context->RequestOf(owner)},
      slice.gc_ns, context->off_cpu() ? slice.off_ns : ParquetTable::kNone});
}

// Each of the event's samples has a row that counts it, though it may stand for
// nothing that ran.
void EventRows::AddSamples(const Event& event, const LoopTimeline& timeline,
                           RowContext* context) {
  std::vector<bool> told(event.samples.size());
  const auto add = [&](const Sample& sample) {
    const uint64_t number = timeline.PieceAfter(sample.at_ns);
    const uint32_t owner =
        number < timeline.next() ? timeline.At(number).owner : 0;
    stacks_->Add(std::array<int64_t, 9>{
        context->key(),
        owner == 0 ? ParquetTable::kNone : int64_t{context->RequestOf(owner)},
        sample.at_ns, std::llround(sample.weight_ns), !told[sample.sample],
        sample.stack, sample.stack, sample.stack, sample.stack});
    told[sample.sample] = true;
  };
  for (const Sample& sample : samples_) add(sample);
  for (size_t i = 0; i < told.size(); ++i) {
    if (!told[i]) add({i, event.samples[i].asked_ns, 0, 0});
  }
}

}  // namespace edgewise
