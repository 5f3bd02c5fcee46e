#pragma once

#include <cstdint>
#include <string_view>

#include "platform/probe.h"
#include "recorder/open_event.h"
#include "trace/record.h"

// What the probes of events and requests tell (docs/usdt.md). Each is apart
// from the code that runs when nobody listens.

namespace edgewise {

// Requests are told of as they begin and end, and not later, while somebody
// listens.
inline bool RequestsProbed() {
  return EDGEWISE_PROBED(request__start) || EDGEWISE_PROBED(request__done);
}

// `thread`: Node's number of it.
[[gnu::cold]] void ProbeEventBegin(const OpenEvent& event, uint32_t thread);
// `end`: ticks.
[[gnu::cold]] void ProbeEventEnd(const OpenEvent& event, uint64_t end);
[[gnu::cold]] void ProbeRequestStart(uint32_t request, RequestKind kind);
// `latency`: ticks; 0: not known.
[[gnu::cold]] void ProbeRequestDone(uint32_t request, const char* route,
                                    uint32_t status, uint64_t latency,
                                    Outcome outcome);
[[gnu::cold]] void ProbeGcBegin(GcType type);
[[gnu::cold]] void ProbeGcEnd(GcType type, uint64_t ticks);

}  // namespace edgewise
