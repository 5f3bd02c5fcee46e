#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "across/rows.h"

namespace edgewise {

// Which request each call was that has told its name, of those that were told
// the same. A `traceparent` is one call's; an `x-request-id` is often passed on
// by all that a request asks for. So the request must lie within the call, be
// none that another one of them has asked for, and none that has asked for the
// caller. Calls that are joined already tell who has asked whom.
struct NamedCall {
  const ServedRow* request = nullptr;  // null: none, or one of several
  uint32_t candidates = 0;
};

// In order of `calls`. A name that has gone through too many hands says
// nothing.
std::vector<NamedCall> JoinByName(std::span<const CalledRow> calls,
                                  std::span<const ServedRow> requests);

}  // namespace edgewise
