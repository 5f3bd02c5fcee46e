#include "trace/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#endif

namespace edgewise {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // reflected 0x1EDC6F41

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// Slicing-by-8: table k advances a byte by k further zero bytes.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

uint64_t LoadWord(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

#if defined(__x86_64__)
// The CRC instruction takes three cycles but can begin one every cycle: three
// lanes of a block run side by side, and are joined by advancing the first two
// over as many zero bytes as follow them, which is linear in the bits.
constexpr size_t kLaneBytes = 1024;

using Advance = std::array<std::array<uint32_t, 256>, 4>;

constexpr uint32_t AdvanceByZeros(uint32_t crc, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    crc = (crc >> 8) ^ kTables[0][crc & 0xFF];
  }
  return crc;
}

constexpr Advance MakeAdvance() {
  std::array<uint32_t, 32> bits{};
  for (size_t bit = 0; bit < bits.size(); ++bit) {
    bits[bit] = AdvanceByZeros(uint32_t{1} << bit, kLaneBytes);
  }
  Advance advance{};
  for (size_t byte = 0; byte < advance.size(); ++byte) {
    for (size_t value = 0; value < 256; ++value) {
      for (size_t bit = 0; bit < 8; ++bit) {
        if ((value >> bit & 1) != 0) {
          advance[byte][value] ^= bits[8 * byte + bit];
        }
      }
    }
  }
  return advance;
}

constexpr Advance kAdvance = MakeAdvance();

uint32_t OverOneLane(uint32_t crc) {
  return kAdvance[0][crc & 0xFF] ^ kAdvance[1][crc >> 8 & 0xFF] ^
         kAdvance[2][crc >> 16 & 0xFF] ^ kAdvance[3][crc >> 24];
}

__attribute__((target("sse4.2,crc32"))) uint32_t Crc32cSse42(const void* data,
                                                             size_t size,
                                                             uint32_t seed) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  uint64_t crc = static_cast<uint32_t>(~seed);
  for (; size >= 3 * kLaneBytes;
       size -= 3 * kLaneBytes, bytes += 3 * kLaneBytes) {
    uint64_t second = 0;
    uint64_t third = 0;
    for (size_t i = 0; i < kLaneBytes; i += 8) {
      crc = _mm_crc32_u64(crc, LoadWord(bytes + i));
      second = _mm_crc32_u64(second, LoadWord(bytes + kLaneBytes + i));
      third = _mm_crc32_u64(third, LoadWord(bytes + 2 * kLaneBytes + i));
    }
    const uint32_t joined =
        OverOneLane(static_cast<uint32_t>(crc)) ^ static_cast<uint32_t>(second);
    crc = OverOneLane(joined) ^ static_cast<uint32_t>(third);
  }
  for (; size >= 8; size -= 8, bytes += 8) {
    crc = _mm_crc32_u64(crc, LoadWord(bytes));
  }
  auto crc32 = static_cast<uint32_t>(crc);
  for (; size > 0; --size, ++bytes) crc32 = _mm_crc32_u8(crc32, *bytes);
  return ~crc32;
}

bool HasSse42() {
  unsigned int a = 0;
  unsigned int b = 0;
  unsigned int c = 0;
  unsigned int d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0;
}
#endif

}  // namespace

namespace internal {

uint32_t Crc32cPortable(const void* data, size_t size, uint32_t seed) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  uint32_t crc = ~seed;
  for (; size >= 8; size -= 8, bytes += 8) {
    const uint64_t word = LoadWord(bytes) ^ crc;
    crc = 0;
    for (int k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; size > 0; --size, ++bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ *bytes) & 0xFF];
  }
  return ~crc;
}

}  // namespace internal

uint32_t Crc32c(const void* data, size_t size, uint32_t seed) {
#if defined(__x86_64__)
  static const bool has_sse42 = HasSse42();
  if (has_sse42) return Crc32cSse42(data, size, seed);
#endif
  return internal::Crc32cPortable(data, size, seed);
}

}  // namespace edgewise
