#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace edgewise {

// Fields of a message in the encoding of Protocol Buffers.
class ProtoWriter {
 public:
  void Whole(uint32_t field, uint64_t value) {
    Tag(field, 0);
    Varint(value);
  }
  void Fixed(uint32_t field, uint64_t value) {
    Tag(field, 1);
    for (int i = 0; i < 8; ++i) {
      bytes_.push_back(static_cast<char>(value >> (8 * i)));
    }
  }
  void Text(uint32_t field, std::string_view value) {
    Tag(field, 2);
    Varint(value.size());
    bytes_.append(value);
  }
  void Message(uint32_t field, const ProtoWriter& message) {
    Text(field, message.bytes_);
  }

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void Clear() { bytes_.clear(); }

 private:
  void Tag(uint32_t field, uint32_t wire) { Varint(field << 3 | wire); }
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_.push_back(static_cast<char>(value | 0x80));
    }
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace edgewise
