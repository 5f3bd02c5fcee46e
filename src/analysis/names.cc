#include "analysis/names.h"

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
constexpr std::array<const char*, kReadyKinds> kReadyKindNames = {
    "none", "observed", "due", "resolved", "completed", "upper-bound",
};
constexpr std::array<const char*, 3> kRequestKindNames = {"http1", "http2",
                                                          "custom"};
constexpr std::array<const char*, 3> kOutcomeNames = {"finished", "aborted",
                                                      "failed"};

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
const char* ReadyKindName(ReadyKind kind) {
  return NameIn(kReadyKindNames, kind);
}
const char* RequestKindName(RequestKind kind) {
  return NameIn(kRequestKindNames, kind);
}
const char* OutcomeName(Outcome outcome) {
  return NameIn(kOutcomeNames, outcome);
}

}  // namespace edgewise
