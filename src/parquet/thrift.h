#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

inline void PutVarint(uint64_t value, std::string* bytes) {
  for (; value >= 0x80; value >>= 7) {
    bytes->push_back(static_cast<char>(value | 0x80));
  }
  bytes->push_back(static_cast<char>(value));
}

inline uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

// Writes structures as Thrift's compact protocol does, which is what all of
// Parquet that is no value is in. Fields in order of their numbers.
class CompactWriter {
 public:
  explicit CompactWriter(std::string* bytes) : bytes_(bytes) {}

  // A field, in the structure that is open.
  void Whole32(int field, int32_t value) { Integer(field, 5, value); }
  void Whole64(int field, int64_t value) { Integer(field, 6, value); }
  void Flag(int field, bool value) { Header(field, value ? 1 : 2); }
  void Binary(int field, std::string_view value) {
    Header(field, 8);
    BinaryItem(value);
  }
  void BeginStruct(int field) {
    Header(field, 12);
    BeginItem();
  }
  void BeginList(int field, int type, size_t size) {
    Header(field, 9);
    if (size < 15) {
      bytes_->push_back(
          static_cast<char>(size << 4 | static_cast<size_t>(type)));
    } else {
      bytes_->push_back(static_cast<char>(0xF0 | type));
      PutVarint(size, bytes_);
    }
  }

  // Items of a list. A structure ends with End().
  static constexpr int kWhole32 = 5;
  static constexpr int kBinary = 8;
  static constexpr int kStruct = 12;
  void WholeItem(int32_t value) { PutVarint(ZigZag(value), bytes_); }
  void BinaryItem(std::string_view value) {
    PutVarint(value.size(), bytes_);
    bytes_->append(value);
  }
  void BeginItem() {
    last_.push_back(field_);
    field_ = 0;
  }
  void End() {
    bytes_->push_back(0);
    field_ = last_.back();
    last_.pop_back();
  }

 private:
  void Header(int field, int type) {
    const int delta = field - field_;
    if (delta < 16) {
      bytes_->push_back(static_cast<char>(delta << 4 | type));
    } else {
      bytes_->push_back(static_cast<char>(type));
      PutVarint(ZigZag(field), bytes_);
    }
    field_ = field;
  }
  void Integer(int field, int type, int64_t value) {
    Header(field, type);
    PutVarint(ZigZag(value), bytes_);
  }

  std::string* const bytes_;
  int field_ = 0;          // the last one of the open structure
  std::vector<int> last_;  // of those around it
};

}  // namespace edgewise
