#include "trace/trace_context.h"

#include <bit>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "trace/fnv1a.h"

namespace edgewise {
namespace {

constexpr size_t kVersion00 = 55;  // bytes
constexpr size_t kTraceAt = 3;
constexpr size_t kParentAt = 36;
constexpr size_t kFlagsAt = 53;

// Lower case only.
std::optional<uint64_t> Hex(std::string_view digits) {
  uint64_t value = 0;
  for (const char digit : digits) {
    const bool decimal = digit >= '0' && digit <= '9';
    if (!decimal && (digit < 'a' || digit > 'f')) return std::nullopt;
    value = value << 4 |
            static_cast<uint64_t>(decimal ? digit - '0' : digit - 'a' + 10);
  }
  return value;
}

// One that is longer is none.
constexpr size_t kMostRequestId = 256;  // bytes

// Its last bit tells it from other keys.
uint64_t OddHashOf(std::string_view text) {
  const uint64_t hash = Fnv1a(text);
  return (hash ^ hash >> 32) | 1;
}

std::optional<TraceContext> Valid(const TraceContext& context) {
  const bool traced = context.trace_high != 0 || context.trace_low != 0;
  if (!traced || context.parent == 0) return std::nullopt;
  return context;
}

uint32_t High(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
uint64_t Joined(uint32_t high, uint32_t low) {
  return uint64_t{high} << 32 | low;
}

}  // namespace

std::string TraceContext::TraceId() const {
  return absl::StrCat(absl::Hex(trace_high, absl::kZeroPad16),
                      absl::Hex(trace_low, absl::kZeroPad16));
}

std::string TraceContext::ParentId() const {
  return absl::StrCat(absl::Hex(parent, absl::kZeroPad16));
}

uint64_t TraceContext::Key() const {
  if (!IsTraced()) return trace_high;
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // of the golden ratio
  uint64_t key = trace_high;
  for (const uint64_t part : {trace_low, parent}) {
    key = std::rotl(key * kOdd, 29) ^ part;
  }
  key &= ~uint64_t{1};
  return key != 0 ? key : 2;
}

std::optional<TraceContext> ParseTraceparent(std::string_view header) {
  if (header.size() < kVersion00 || header[kTraceAt - 1] != '-' ||
      header[kParentAt - 1] != '-' || header[kFlagsAt - 1] != '-') {
    return std::nullopt;
  }
  const auto version = Hex(header.substr(0, kTraceAt - 1));
  const auto high = Hex(header.substr(kTraceAt, 16));
  const auto low = Hex(header.substr(kTraceAt + 16, 16));
  const auto parent = Hex(header.substr(kParentAt, 16));
  const auto flags = Hex(header.substr(kFlagsAt, 2));
  if (!version || !high || !low || !parent || !flags) return std::nullopt;
  const bool longer = header.size() > kVersion00;
  if (*version == 0xff || (longer && *version == 0) ||
      (longer && header[kVersion00] != '-')) {
    return std::nullopt;
  }
  return Valid({*high, *low, *parent, static_cast<uint8_t>(*flags)});
}

std::optional<TraceContext> ParseCallersName(std::string_view traceparent,
                                             std::string_view request_id) {
  auto context = ParseTraceparent(traceparent);
  const bool named = !request_id.empty() && request_id.size() <= kMostRequestId;
  if (!context.has_value() && named) {
    context = TraceContext{OddHashOf(request_id), 0, 0, 0};
  }
  return context;
}

void PutTraceContext(const TraceContext& context, uint32_t request,
                     Record* record) {
  record->kind = RecordKind::kTraceContext;
  record->type = context.flags;
  record->aux = request;
  record->ticks = context.trace_high;
  record->duration = std::bit_cast<float>(High(context.trace_low));
  record->ready_before = std::bit_cast<float>(Low(context.trace_low));
  record->id_lo = High(context.parent);
  record->counter_lo = Low(context.parent);
}

std::optional<TraceContext> TraceContextOf(const Record& record) {
  const TraceContext context = {
      record.ticks,
      Joined(std::bit_cast<uint32_t>(record.duration),
             std::bit_cast<uint32_t>(record.ready_before)),
      Joined(record.id_lo, record.counter_lo), record.type};
  const bool of_request_id = !context.IsTraced() && context.trace_low == 0 &&
                             !TraceContext::IsTracedKey(context.trace_high);
  return of_request_id ? context : Valid(context);
}

}  // namespace edgewise
