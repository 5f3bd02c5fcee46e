#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace edgewise {

inline constexpr uint64_t kHashOdd1 = 0xa0761d6478bd642f;
inline constexpr uint64_t kHashOdd2 = 0xe7037ed1a0b428db;

inline uint64_t HashLoad64(const uint8_t* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

inline uint64_t HashLoad32(const uint8_t* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Both halves of the product, folded.
inline uint64_t HashMix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Tells byte strings apart; the construction of wyhash.
inline uint64_t HashBytes(const void* data, size_t bytes, uint64_t seed) {
  const auto* at = static_cast<const uint8_t*>(data);
  uint64_t a = 0;
  uint64_t b = 0;
  seed ^= kHashOdd1;
  if (bytes > 16 && bytes <= 32) {
    // Two halves at a time: this is what most questions take.
    seed = HashMix(HashLoad64(at) ^ kHashOdd2, HashLoad64(at + 8) ^ seed);
    a = HashLoad64(at + bytes - 16);
    b = HashLoad64(at + bytes - 8);
    return seed ^ HashMix(kHashOdd1 ^ a ^ bytes, kHashOdd2 ^ b);
  }
  if (bytes > 16) {
    size_t left = bytes;
    uint64_t other = seed;
    for (; left > 32; left -= 32, at += 32) {
      seed = HashMix(HashLoad64(at) ^ kHashOdd2, HashLoad64(at + 8) ^ seed);
      other =
          HashMix(HashLoad64(at + 16) ^ kHashOdd1, HashLoad64(at + 24) ^ other);
    }
    seed ^= other;
    if (left > 16) {
      seed = HashMix(HashLoad64(at) ^ kHashOdd2, HashLoad64(at + 8) ^ seed);
      at += 16;
      left -= 16;
    }
    for (; left > 16; left -= 16, at += 16) {
      seed = HashMix(HashLoad64(at) ^ kHashOdd2, HashLoad64(at + 8) ^ seed);
    }
    a = HashLoad64(at + left - 16);
    b = HashLoad64(at + left - 8);
  } else if (bytes >= 8) {
    a = HashLoad64(at);
    b = HashLoad64(at + bytes - 8);
  } else if (bytes >= 4) {
    a = HashLoad32(at);
    b = HashLoad32(at + bytes - 4);
  } else if (bytes > 0) {
    a = static_cast<uint64_t>(at[0]) << 16 |
        static_cast<uint64_t>(at[bytes / 2]) << 8 | at[bytes - 1];
  }
  return HashMix(kHashOdd2 ^ bytes, HashMix(a ^ kHashOdd2, b ^ seed));
}

}  // namespace edgewise
