#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace edgewise {

// The processor's frequencies between which boosting chooses (VEE'19 section
// 7.1: 2.6, 3.3 and 4.0 GHz).
enum class Level : uint8_t { kLow, kMid, kHigh };

inline constexpr size_t kLevels = 3;

inline constexpr std::string_view kLevelNames[kLevels] = {"low", "mid", "high"};

constexpr std::string_view NameOf(Level level) {
  return kLevelNames[static_cast<size_t>(level)];
}

// Frequency of each level, kHz, ascending; 0: not known.
using Frequencies = std::array<uint32_t, kLevels>;

}  // namespace edgewise
