#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/record.h"

namespace edgewise {

// What a request's caller says of itself in the header `traceparent` (W3C Trace
// Context), ids only; or in `x-request-id`, of which only a hash is kept.
struct TraceContext {
  uint64_t trace_high;  // the trace-id, not 0; or the hash, which is odd
  uint64_t trace_low;
  uint64_t parent;  // the parent-id, not 0; 0: of `x-request-id`
  uint8_t flags;

  bool IsTraced() const { return parent != 0; }

  // Hexadecimal, as spans have them.
  std::string TraceId() const;
  std::string ParentId() const;

  // Of both ids, not 0: as good as they are to tell one call from others.
  uint64_t Key() const;
  static bool IsTracedKey(uint64_t key) { return (key & 1) == 0; }
};

// Nothing where the header is not valid (section 3.2.2); of a version that is
// not known yet, what version 00 has.
std::optional<TraceContext> ParseTraceparent(std::string_view header);
// Of both headers, empty where there is none: a `traceparent` that is valid
// says more.
std::optional<TraceContext> ParseCallersName(std::string_view traceparent,
                                             std::string_view request_id);

// A record of kind kTraceContext.
void PutTraceContext(const TraceContext& context, uint32_t request,
                     Record* record);
// Nothing where it holds neither.
std::optional<TraceContext> TraceContextOf(const Record& record);

}  // namespace edgewise
