#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/record.h"

namespace edgewise {

// What a request's caller says of itself in the header `traceparent` (W3C Trace
// Context): ids only.
struct TraceContext {
  uint64_t trace_high;  // the trace-id, not 0
  uint64_t trace_low;
  uint64_t parent;  // the parent-id, not 0
  uint8_t flags;

  // Hexadecimal, as spans have them.
  std::string TraceId() const;
  std::string ParentId() const;

  // Of both ids, not 0: as good as they are to tell one call from others.
  uint64_t Key() const;
};

// Nothing where the header is not valid (section 3.2.2); of a version that is
// not known yet, what version 00 has.
std::optional<TraceContext> ParseTraceparent(std::string_view header);

// A record of kind kTraceContext.
void PutTraceContext(const TraceContext& context, uint32_t request,
                     Record* record);
// Nothing where an id is 0.
std::optional<TraceContext> TraceContextOf(const Record& record);

}  // namespace edgewise
