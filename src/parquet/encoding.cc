#include "parquet/encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>

#include "parquet/thrift.h"

namespace edgewise {
namespace {

constexpr size_t kGroup = 8;  // values of a bit-packed run come in eights
constexpr size_t kShortRun = 16;
constexpr size_t kBlock = 128;
constexpr size_t kMiniBlocks = 4;
constexpr size_t kMiniBlock = kBlock / kMiniBlocks;

void PutLittleEndian(uint64_t value, size_t size, std::string* bytes) {
  std::array<char, sizeof(value)> held;
  for (size_t i = 0; i < held.size(); ++i) {
    held[i] = static_cast<char>(value >> (8 * i));
  }
  bytes->append(held.data(), size);
}

// Bits, the lowest first. Widths up to 64.
class BitPacker {
 public:
  explicit BitPacker(std::string* bytes) : bytes_(bytes) {}
  void Put(uint64_t value, int width) {
    held_ |= value << count_;
    if (count_ + width < 64) {
      count_ += width;
      return;
    }
    PutLittleEndian(held_, 8, bytes_);
    const int taken = 64 - count_;
    held_ = taken < 64 ? value >> taken : 0;
    count_ = width - taken;
  }
  ~BitPacker() {
    PutLittleEndian(held_, static_cast<size_t>(count_ + 7) / 8, bytes_);
  }
  BitPacker(const BitPacker&) = delete;
  BitPacker& operator=(const BitPacker&) = delete;

 private:
  std::string* const bytes_;
  uint64_t held_ = 0;
  int count_ = 0;  // of its bits
};

void PutLiterals(std::span<const uint32_t> values, int width,
                 std::string* bytes) {
  if (values.empty()) return;
  const size_t groups = (values.size() + kGroup - 1) / kGroup;
  PutVarint(groups << 1 | 1, bytes);
  BitPacker packer(bytes);
  for (const uint32_t value : values) packer.Put(value, width);
  for (size_t i = values.size(); i < groups * kGroup; ++i) packer.Put(0, width);
}

// The length of the UTF-8 sequence that `text` begins with; 0: none does.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xC2   ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Too long for what it says, a surrogate, or beyond the last character.
  const uint8_t second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

}  // namespace

int BitWidth(uint32_t most) {
  return std::max(1, static_cast<int>(std::bit_width(most)));
}

void PutHybrid(std::span<const uint32_t> values, int width,
               std::string* bytes) {
  size_t literals = 0;  // those from here to `at` are not written yet
  size_t at = 0;
  while (at < values.size()) {
    size_t end = at + 1;
    while (end < values.size() && values[end] == values[at]) ++end;
    // What was put aside is filled up to a whole group.
    const size_t filled =
        std::min(end, at + (kGroup - (at - literals) % kGroup) % kGroup);
    if (end - filled < kShortRun) {
      at = end;
      continue;
    }
    PutLiterals(values.subspan(literals, filled - literals), width, bytes);
    PutVarint(static_cast<uint64_t>(end - filled) << 1, bytes);
    PutLittleEndian(values[at], static_cast<size_t>(width + 7) / 8, bytes);
    at = literals = end;
  }
  PutLiterals(values.subspan(literals), width, bytes);
}

void PutDeltas(std::span<const int64_t> values, std::string* bytes) {
  PutVarint(kBlock, bytes);
  PutVarint(kMiniBlocks, bytes);
  PutVarint(values.size(), bytes);
  PutVarint(ZigZag(values.empty() ? 0 : values[0]), bytes);
  std::array<uint64_t, kBlock> deltas;
  for (size_t from = 1; from < values.size(); from += kBlock) {
    const size_t count = std::min(kBlock, values.size() - from);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < count; ++i) {
      // They may leave what is signed, and come back when they are added.
      deltas[i] = static_cast<uint64_t>(values[from + i]) -
                  static_cast<uint64_t>(values[from + i - 1]);
      least = std::min(least, static_cast<int64_t>(deltas[i]));
    }
    PutVarint(ZigZag(least), bytes);
    std::array<int, kMiniBlocks> widths{};
    for (size_t i = 0; i < count; ++i) {
      deltas[i] -= static_cast<uint64_t>(least);
      int& width = widths[i / kMiniBlock];
      width = std::max(width, static_cast<int>(std::bit_width(deltas[i])));
    }
    for (const int width : widths) bytes->push_back(static_cast<char>(width));
    for (size_t mini = 0; mini * kMiniBlock < count; ++mini) {
      if (widths[mini] == 0) continue;
      BitPacker packer(bytes);
      for (size_t i = 0; i < kMiniBlock; ++i) {
        const size_t number = mini * kMiniBlock + i;
        packer.Put(number < count ? deltas[number] : 0, widths[mini]);
      }
    }
  }
}

void PutFlags(std::span<const int64_t> values, std::string* bytes) {
  BitPacker packer(bytes);
  for (const int64_t value : values) packer.Put(value != 0 ? 1 : 0, 1);
}

void PutText(std::string_view text, std::string* bytes) {
  const std::string valid = ValidText(text);
  PutLittleEndian(valid.size(), 4, bytes);
  bytes->append(valid);
}

std::string ValidText(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) {
      valid.append("\xEF\xBF\xBD");
      text.remove_prefix(1);
    } else {
      valid.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return valid;
}

}  // namespace edgewise
