#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/record.h"

// The names that reports use for the values of the trace. Each function
// accepts any value, since a trace may hold nonsense, and then says "unknown".

namespace edgewise {

inline constexpr int kEventTypes = static_cast<int>(EventType::kMaxValue) + 1;
inline constexpr int kGcTypes = static_cast<int>(GcType::kMaxValue) + 1;
// V8's GarbageCollectionReason, whose numbers never change; 0: none is known.
inline constexpr uint32_t kGcReasons = 28;
inline constexpr int kReadyKinds = static_cast<int>(ReadyKind::kMaxValue) + 1;
inline constexpr size_t kOffCpuKinds =
    static_cast<size_t>(OffCpuKind::kMaxValue) + 1;

const char* EventTypeName(EventType type);
const char* GcTypeName(GcType type);
const char* GcReasonName(uint32_t reason);
const char* ReadyKindName(ReadyKind kind);
const char* RequestKindName(RequestKind kind);
const char* OutcomeName(Outcome outcome);
const char* OffCpuKindName(OffCpuKind kind);

}  // namespace edgewise
