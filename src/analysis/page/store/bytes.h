#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace edgewise {

// Whole numbers in few bytes: seven bits in each, the lowest first; the last is
// below 128.
inline void PutNumber(uint64_t number, std::string* bytes) {
  while (number >= 128) {
    bytes->push_back(static_cast<char>(number | 128));
    number >>= 7;
  }
  bytes->push_back(static_cast<char>(number));
}

// Numbers of either sign: small ones in few bytes.
inline void PutSigned(int64_t number, std::string* bytes) {
  const auto doubled = static_cast<uint64_t>(number) << 1;
  PutNumber(number < 0 ? ~doubled : doubled, bytes);
}

// Takes back what was put, in order. Bytes that end too early give zeros.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

  uint64_t Next() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      number |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
    return number;
  }
  int64_t NextSigned() {
    const uint64_t doubled = Next();
    return static_cast<int64_t>((doubled >> 1) ^ (~(doubled & 1) + 1));
  }
  // Bytes that have been read.
  size_t at() const { return at_; }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace edgewise
