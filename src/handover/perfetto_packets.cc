#include "handover/perfetto_packets.h"

#include <utility>

#include "absl/strings/string_view.h"

namespace edgewise {
namespace {

constexpr uint32_t kMonotonic = 3;  // BuiltinClock
constexpr uint32_t kRealtime = 1;

// Fields, by message.
namespace trace {
constexpr uint32_t kPacket = 1;
}
namespace packet {
constexpr uint32_t kClockSnapshot = 6;
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequence = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kInternedData = 12;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kDefaults = 59;
constexpr uint32_t kTrackDescriptor = 60;
constexpr uint32_t kTimestampClock = 58;  // of the defaults, too
}  // namespace packet
namespace snapshot {
constexpr uint32_t kClocks = 1;
constexpr uint32_t kPrimaryClock = 2;
constexpr uint32_t kClock = 1;  // of a clock
constexpr uint32_t kTime = 2;
}  // namespace snapshot
namespace interned {
constexpr uint32_t kCategories = 1;
constexpr uint32_t kNames = 2;
constexpr uint32_t kNoteNames = 3;
constexpr uint32_t kNumber = 1;  // of each
constexpr uint32_t kName = 2;
}  // namespace interned
namespace event {
constexpr uint32_t kCategory = 3;
constexpr uint32_t kNote = 4;
constexpr uint32_t kType = 9;
constexpr uint32_t kName = 10;
constexpr uint32_t kTrack = 11;
constexpr uint32_t kFlow = 47;
constexpr uint32_t kEndingFlow = 48;
constexpr uint32_t kSliceBegin = 1;  // types
constexpr uint32_t kSliceEnd = 2;
}  // namespace event
namespace note {
constexpr uint32_t kName = 1;
constexpr uint32_t kWhole = 4;
}  // namespace note
namespace track_of {
constexpr uint32_t kNumber = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kParent = 5;
constexpr uint32_t kPid = 1;  // of a process
constexpr uint32_t kProcessName = 6;
}  // namespace track_of

constexpr uint32_t kStateCleared = 1;  // what was interned is forgotten
constexpr uint32_t kNeedsState = 2;

}  // namespace

void PerfettoPackets::Add(const ProtoWriter& packet) {
  ProtoWriter outer;
  outer.Message(trace::kPacket, packet);
  file_->buffer().append(outer.bytes());
  file_->Added();
}

void PerfettoPackets::AddTrack(const ProtoWriter& descriptor) {
  ProtoWriter one;
  one.Whole(packet::kSequence, sequence_);
  one.Message(packet::kTrackDescriptor, descriptor);
  Add(one);
}

void PerfettoPackets::AddEvent(int64_t at_ns, const ProtoWriter& told,
                               const ProtoWriter& interned) {
  ProtoWriter one;
  one.Whole(packet::kTimestamp, static_cast<uint64_t>(at_ns));
  one.Whole(packet::kSequence, sequence_);
  one.Whole(packet::kSequenceFlags, kNeedsState);
  if (!interned.empty()) one.Message(packet::kInternedData, interned);
  one.Message(packet::kTrackEvent, told);
  Add(one);
}

void PerfettoPackets::BeginSequence(int64_t at_ns, int64_t unix_offset_ns) {
  ++sequence_;
  names_.clear();
  categories_.clear();
  note_names_.clear();
  const auto clock = [](uint32_t number, int64_t ns) {
    ProtoWriter one;
    one.Whole(snapshot::kClock, number);
    one.Whole(snapshot::kTime, static_cast<uint64_t>(ns));
    return one;
  };
  ProtoWriter clocks;
  clocks.Message(snapshot::kClocks, clock(kMonotonic, at_ns));
  clocks.Message(snapshot::kClocks, clock(kRealtime, at_ns + unix_offset_ns));
  clocks.Whole(snapshot::kPrimaryClock, kMonotonic);
  ProtoWriter defaults;
  defaults.Whole(packet::kTimestampClock, kMonotonic);
  ProtoWriter first;
  first.Message(packet::kClockSnapshot, clocks);
  first.Whole(packet::kSequence, sequence_);
  first.Whole(packet::kSequenceFlags, kStateCleared);
  first.Message(packet::kDefaults, defaults);
  Add(first);
}

void PerfettoPackets::ProcessTrack(uint64_t track, uint32_t pid,
                                   std::string_view name) {
  ProtoWriter process;
  process.Whole(track_of::kPid, pid);
  process.Text(track_of::kProcessName, name);
  ProtoWriter descriptor;
  descriptor.Whole(track_of::kNumber, track);
  descriptor.Message(track_of::kProcess, process);
  AddTrack(descriptor);
}

void PerfettoPackets::Track(uint64_t track, uint64_t parent,
                            std::string_view name) {
  ProtoWriter descriptor;
  descriptor.Whole(track_of::kNumber, track);
  descriptor.Whole(track_of::kParent, parent);
  descriptor.Text(track_of::kName, name);
  AddTrack(descriptor);
}

uint64_t PerfettoPackets::Intern(uint32_t field, std::string_view name,
                                 Names* names, ProtoWriter* interned) {
  const auto found = names->find(absl::string_view(name.data(), name.size()));
  if (found != names->end()) return found->second;
  const uint64_t number = names->size() + 1;
  names->emplace(name, number);
  ProtoWriter entry;
  entry.Whole(interned::kNumber, number);
  entry.Text(interned::kName, name);
  interned->Message(field, entry);
  return number;
}

void PerfettoPackets::Begin(uint64_t track, int64_t at_ns, const Slice& slice) {
  ProtoWriter interned;
  ProtoWriter told;
  told.Whole(event::kType, event::kSliceBegin);
  told.Whole(event::kTrack, track);
  told.Whole(event::kCategory, Intern(interned::kCategories, slice.category,
                                      &categories_, &interned));
  told.Whole(event::kName,
             Intern(interned::kNames, slice.name, &names_, &interned));
  for (const Note& each : slice.notes) {
    ProtoWriter one;
    one.Whole(note::kName,
              Intern(interned::kNoteNames, each.name, &note_names_, &interned));
    one.Whole(note::kWhole, static_cast<uint64_t>(each.value));
    told.Message(event::kNote, one);
  }
  if (slice.flow != 0) told.Fixed(event::kFlow, slice.flow);
  for (const uint64_t flow : slice.from) told.Fixed(event::kEndingFlow, flow);
  AddEvent(at_ns, told, interned);
}

void PerfettoPackets::End(uint64_t track, int64_t at_ns) {
  ProtoWriter told;
  told.Whole(event::kType, event::kSliceEnd);
  told.Whole(event::kTrack, track);
  AddEvent(at_ns, told, {});
}

}  // namespace edgewise
