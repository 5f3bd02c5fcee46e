#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace edgewise {

// A column has no numbers below 0.
inline uint64_t Whole(int64_t ns) {
  return ns > 0 ? static_cast<uint64_t>(ns) : uint64_t{0};
}

// A column of whole numbers below 2^53, of which most pages hold only zeros:
// those take no memory.
class Column {
 public:
  explicit Column(std::string name, bool delta = false)
      : name_(std::move(name)), delta_(delta) {}

  const std::string& name() const { return name_; }
  // Its planes hold differences: its numbers rise.
  bool delta() const { return delta_; }
  size_t size() const { return size_; }
  uint64_t At(size_t row) const { return values_.empty() ? 0 : values_[row]; }

  void Push(uint64_t value) {
    if (value != 0 && values_.empty()) values_.resize(size_);
    ++size_;
    if (!values_.empty() || value != 0) values_.push_back(value);
  }
  // To the number of a row that there is.
  void Add(size_t row, uint64_t value) {
    if (value == 0) return;
    if (values_.empty()) values_.resize(size_);
    values_[row] += value;
  }
  // The same column with its rows in that order.
  Column In(std::span<const uint32_t> order) const;

  // Appends the bytes of each number, one plane after the other, the lowest
  // first. Returns how many planes; 0: all are zero.
  int AppendPlanes(std::string* bytes) const;

 private:
  std::vector<uint64_t> Stored() const;

  std::string name_;
  bool delta_;
  size_t size_ = 0;
  std::vector<uint64_t> values_;  // empty: all are zero
};

}  // namespace edgewise
