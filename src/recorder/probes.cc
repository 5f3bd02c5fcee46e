#include "recorder/probes.h"

#include "platform/clock.h"
#include "trace/names.h"

namespace edgewise {

void ProbeEventBegin(const OpenEvent& event, uint32_t thread) {
  const bool known =
      event.ready_kind != ReadyKind::kNone && event.ready <= event.begin;
  EDGEWISE_PROBE(event__begin, static_cast<int64_t>(event.sequence),
                 EventTypeName(event.type),
                 known ? TickNs(event.begin - event.ready) : -1,
                 int64_t{thread});
}

void ProbeEventEnd(const OpenEvent& event, uint64_t end) {
  EDGEWISE_PROBE(event__end, static_cast<int64_t>(event.sequence),
                 EventTypeName(event.type), TickNs(end - event.begin));
}

void ProbeRequestStart(uint32_t request, RequestKind kind) {
  EDGEWISE_PROBE(request__start, int64_t{request}, RequestKindName(kind));
}

void ProbeRequestDone(uint32_t request, const char* route, uint32_t status,
                      uint64_t latency, Outcome outcome) {
  EDGEWISE_PROBE(request__done, int64_t{request}, route, int64_t{status},
                 latency == 0 ? -1 : TickNs(latency), OutcomeName(outcome));
}

void ProbeGcBegin(GcType type) { EDGEWISE_PROBE(gc__begin, GcTypeName(type)); }

void ProbeGcEnd(GcType type, uint64_t ticks) {
  EDGEWISE_PROBE(gc__end, GcTypeName(type), TickNs(ticks));
}

}  // namespace edgewise
