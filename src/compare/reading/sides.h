#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compare/reading/side_reader.h"
#include "compare/sample/side.h"

namespace edgewise {

// One recording, all its files.
using Recording = std::vector<SideReader::File>;

// What a recording is split by.
enum class SplitBy : uint8_t { kNothing, kProcess, kWorker, kMinute, kNode };

// Each recording is a run: the requests of all its files.
Side SideOf(std::span<const Recording> recordings);

// What some of the requests have in common: "process 4711".
struct SplitValue {
  std::string text;
  int64_t minute = 0;  // since 1970, of kMinute
};

// All that there are, in order.
std::vector<SplitValue> ValuesOf(std::span<const Recording> recordings,
                                 SplitBy by);

// Some requests of recordings, and all the others.
struct Split {
  Side others;
  Side some;
};
Split SplitAt(std::span<const Recording> recordings, SplitBy by,
              const SplitValue& value);

// Routes of which there are few become one, so that there are at most so many
// of both sides together.
void MergeRareRoutes(size_t most, std::span<Side* const> sides,
                     SideNames* names);

}  // namespace edgewise
