#include "trace/names.h"

#include <array>
#include <cstddef>

namespace edgewise {
namespace {

constexpr std::array<const char*, kEventTypes> kEventTypeNames = {
    "unknown",     "main",     "accept",   "tcp_read",   "pipe_read",
    "udp_read",    "write",    "fs_read",  "fs_readdir", "fs_stat",
    "fs_open",     "fs_write", "fs_close", "fs_other",   "dns",
    "thread_pool", "signal",   "child",    "timer",      "immediate",
    "message",     "close",    "poll",     "fs_event",   "custom",
    "connect",
};
constexpr std::array<const char*, kGcTypes> kGcTypeNames = {
    "scavenge",
    "minor_mark_sweep",
    "mark_sweep_compact",
    "incremental_marking",
    "weak_callbacks",
    "sweeping",
    "other",
};
// As V8 prints them (GarbageCollectionReasonToString()).
constexpr std::array<const char*, kGcReasons> kGcReasonNames = {
    "unknown",
    "allocation failure",
    "allocation limit",
    "context disposal",
    "counters extension",
    "debugger",
    "deserialize",
    "external memory pressure",
    "finalize incremental marking via stack guard",
    "finalize incremental marking via task",
    "full hash-table",
    "heap profiler",
    "task",
    "last resort",
    "low memory notification",
    "make heap iterable",
    "memory pressure",
    "memory reducer",
    "runtime",
    "sampling profiler",
    "snapshot creator",
    "testing",
    "external finalize",
    "global allocation limit",
    "measure memory",
    "background allocation failure",
    "finalize MinorMC",
    "CppHeap allocation failure",
};
constexpr std::array<const char*, kReadyKinds> kReadyKindNames = {
    "none",      "observed",    "due",         "resolved",
    "completed", "upper-bound", "lower-bound",
};
constexpr std::array<const char*, 3> kRequestKindNames = {"http1", "http2",
                                                          "custom"};
constexpr std::array<const char*, 3> kOutcomeNames = {"finished", "aborted",
                                                      "failed"};

constexpr std::array<const char*, kOffCpuKinds> kOffCpuKindNames = {
    "preempted", "throttled", "fault", "blocked"};

template <typename Enum, size_t n>
const char* NameIn(const std::array<const char*, n>& names, Enum value) {
  const auto index = static_cast<size_t>(value);
  return index < n ? names[index] : "unknown";
}

}  // namespace

const char* EventTypeName(EventType type) {
  return NameIn(kEventTypeNames, type);
}
const char* GcTypeName(GcType type) { return NameIn(kGcTypeNames, type); }
const char* GcReasonName(uint32_t reason) {
  return NameIn(kGcReasonNames, reason);
}
const char* ReadyKindName(ReadyKind kind) {
  return NameIn(kReadyKindNames, kind);
}
const char* RequestKindName(RequestKind kind) {
  return NameIn(kRequestKindNames, kind);
}
const char* OutcomeName(Outcome outcome) {
  return NameIn(kOutcomeNames, outcome);
}
const char* OffCpuKindName(OffCpuKind kind) {
  return NameIn(kOffCpuKindNames, kind);
}

}  // namespace edgewise
