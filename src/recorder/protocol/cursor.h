#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace edgewise {

// No more than this of a message is looked at.
constexpr size_t kLookBytes = 1024;

// Reads the first kLookBytes of a message and nothing behind them: past the end
// every byte is 0 and `ended()` says so. It knows which bytes have been looked
// at: two messages that agree in those have the same name.
class Cursor {
 public:
  Cursor(const void* data, size_t bytes)
      : data_(static_cast<const uint8_t*>(data)),
        size_(std::min(bytes, kLookBytes)) {}

  size_t position() const { return position_; }
  size_t size() const { return size_; }
  size_t left() const { return size_ - position_; }
  bool ended() const { return ended_; }

  // What the name depends on: [begin, end), and the first byte.
  size_t decided_begin() const { return decided_begin_; }
  size_t decided_end() const { return std::max(looked_, position_); }
  // Neither lengths nor the number of the question decide.
  void DecidedFrom(size_t begin) { decided_begin_ = begin; }

  uint8_t Peek(size_t ahead = 0) {
    const size_t at = position_ + ahead;
    if (ahead >= left()) {
      ended_ = true;
      looked_ = size_;
      return 0;
    }
    looked_ = std::max(looked_, at + 1);
    return data_[at];
  }
  uint8_t U8() {
    const uint8_t byte = Peek();
    Skip(1);
    return byte;
  }
  uint16_t U16() { return static_cast<uint16_t>(Big(2)); }
  uint32_t U32() { return static_cast<uint32_t>(Big(4)); }
  uint32_t U24() { return static_cast<uint32_t>(Big(3)); }
  uint32_t Little32() { return Little(4); }
  uint32_t Little16() { return Little(2); }
  uint32_t Little24() { return Little(3); }

  void Skip(size_t bytes) {
    if (bytes > left()) {
      ended_ = true;
      bytes = left();
    }
    position_ += bytes;
  }
  // Goes to an absolute position.
  void To(size_t position) {
    ended_ |= position > size_;
    position_ = std::min(position, size_);
  }

  // Whether `text` is next; moves behind it only then. Upper-case `text` with
  // `any_case` matches both.
  bool Take(std::string_view text, bool any_case = false) {
    for (size_t i = 0; i < text.size(); ++i) {
      uint8_t byte = Peek(i);
      if (any_case && byte >= 'a' && byte <= 'z') byte -= 'a' - 'A';
      if (i >= left() || byte != static_cast<uint8_t>(text[i])) return false;
    }
    Skip(text.size());
    return true;
  }

  // What comes before the next `end`, which is passed; to the end if none
  // comes, and `ended()` then.
  std::string_view Until(uint8_t end) {
    const size_t begin = position_;
    while (position_ < size_ && data_[position_] != end) ++position_;
    const std::string_view found = Between(begin, position_);
    Skip(1);
    return found;
  }
  std::string_view Bytes(size_t bytes) {
    const size_t begin = position_;
    Skip(bytes);
    return Between(begin, position_);
  }
  std::string_view Rest() const { return Between(position_, size_); }

 private:
  std::string_view Between(size_t begin, size_t end) const {
    return {reinterpret_cast<const char*>(data_) + begin, end - begin};
  }
  uint64_t Big(size_t bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | U8();
    return value;
  }
  uint32_t Little(size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
      value |= static_cast<uint32_t>(U8()) << (8 * i);
    }
    return value;
  }

  const uint8_t* data_;
  size_t size_;
  size_t position_ = 0;
  size_t looked_ = 0;
  size_t decided_begin_ = 0;
  bool ended_ = false;
};

}  // namespace edgewise
