#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// How Parquet packs values (the format's Encodings.md).

namespace edgewise {

// Small numbers, each of `width` bits (1 to 32): runs of one value, and groups
// of eight ("RLE / bit-packing hybrid").
void PutHybrid(std::span<const uint32_t> values, int width, std::string* bytes);

// Whole numbers by what each is more than the one before
// ("DELTA_BINARY_PACKED"): times that rise take a byte or three.
void PutDeltas(std::span<const int64_t> values, std::string* bytes);

// A bit each, the lowest first ("PLAIN" of a boolean).
void PutFlags(std::span<const int64_t> values, std::string* bytes);

// The bits that numbers up to `most` need; at least 1.
int BitWidth(uint32_t most);

// A text with its length ("PLAIN" of a byte array). What is no UTF-8 becomes
// U+FFFD: readers refuse a file for it.
void PutText(std::string_view text, std::string* bytes);

// Valid UTF-8, whatever `text` is.
std::string ValidText(std::string_view text);

}  // namespace edgewise
