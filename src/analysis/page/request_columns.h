#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analysis/page/part_names.h"

namespace edgewise {

// The columns of a page's requests (docs/page-data.md), in their order.
struct RequestColumns {
  enum : size_t {
    kStart,
    kCount,
    kIo,
    kQueue,
    kExec,
    kDoubts,
    kWaiting,
    kTail,  // from here on what the requests of a row have in common
    kRoute,
    kStatus,
    kOutcome,
    kKind,
    kThread,
    kConnection,
    kId,
    kFirstPart,  // then those of Components, in the order of kPartNames
  };
  static constexpr size_t kAll = kFirstPart + kPartNames.size();
  static constexpr std::array<const char*, kFirstPart> kNames = {
      "start",   "count",   "io",     "queue",      "exec",
      "doubts",  "waiting", "tail",   "route",      "status",
      "outcome", "kind",    "thread", "connection", "id"};

  // Of one request; times in ns.
  using Values = std::array<uint64_t, kAll>;
};

}  // namespace edgewise
