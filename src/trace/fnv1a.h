#pragma once

#include <cstdint>
#include <string_view>

namespace edgewise {

// FNV-1a, 64 bits: the same in each process, and no secret.
inline uint64_t Fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace edgewise
