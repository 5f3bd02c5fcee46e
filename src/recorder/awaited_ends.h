#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace edgewise {

// Requests whose response is complete, and whose last bytes leave with the next
// write on their connection: HTTP/2 writes when the handlers of all that the
// loop has found have run. They wait for that within one turn of the loop, so
// they are few. Loop thread only; nothing is allocated.
class AwaitedEnds {
 public:
  struct End {
    uint32_t request;
    uint32_t route;
    uint32_t status;
    int fd;
  };
  static constexpr size_t kMost = 1024;

  bool empty() const { return count_ == 0; }

  // False: there are too many.
  bool Add(const End& end) {
    if (count_ == kMost) return false;
    ends_[count_++] = end;
    return true;
  }

  // Removes one that `matches`, the first that was added.
  template <typename Matches>
  std::optional<End> Take(Matches matches) {
    for (size_t i = 0; i < count_; ++i) {
      if (!matches(ends_[i])) continue;
      const End found = ends_[i];
      --count_;
      for (; i < count_; ++i) ends_[i] = ends_[i + 1];
      return found;
    }
    return std::nullopt;
  }

 private:
  size_t count_ = 0;
  std::array<End, kMost> ends_;
};

}  // namespace edgewise
