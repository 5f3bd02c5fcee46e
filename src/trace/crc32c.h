#pragma once

#include <cstddef>
#include <cstdint>

namespace edgewise {

// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `size` bytes. `seed` is the
// result for the bytes before these, so that
// Crc32c(b, nb, Crc32c(a, na)) == Crc32c(ab, na + nb). Thread-safe.
uint32_t Crc32c(const void* data, size_t size, uint32_t seed = 0);

namespace internal {
// The table-driven version, used where the CPU has no CRC instruction.
// Exposed so that a test can compare the two.
uint32_t Crc32cPortable(const void* data, size_t size, uint32_t seed);
}  // namespace internal

}  // namespace edgewise
