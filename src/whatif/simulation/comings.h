#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "whatif/simulation/pace.h"

namespace edgewise {

// What comes to a loop, as far as it is known, and what of it is ready: as
// files of its epoll, so that what shares one counts once.
class Comings : public ReadyEvents {
 public:
  // A file of its own.
  static constexpr uint32_t kAlone = 0;
  // Of connections to accept; of what the pool has done.
  static constexpr uint32_t kListener = UINT32_MAX;
  static constexpr uint32_t kPool = UINT32_MAX - 1;

  void Add(int64_t at_ns, uint32_t file) { later_.push({at_ns, file}); }

  // The loop takes all that has come by then.
  void Take(int64_t now_ns) {
    CountAt(now_ns);
    come_ = 0;
    files_.clear();
  }
  // So many of what it took have not begun.
  void SetLeft(uint32_t left) { left_ = left; }

  int64_t NextNs() const override {
    return later_.empty() ? INT64_MAX : later_.top().at_ns;
  }
  uint32_t CountAt(int64_t now_ns) override {
    while (!later_.empty() && later_.top().at_ns <= now_ns) {
      const uint32_t file = later_.top().file;
      later_.pop();
      if (file == kAlone || files_.insert(file).second) ++come_;
    }
    return left_ + come_;
  }

 private:
  struct Coming {
    int64_t at_ns;
    uint32_t file;
    bool operator<(const Coming& other) const { return at_ns > other.at_ns; }
  };
  std::priority_queue<Coming> later_;
  absl::flat_hash_set<uint32_t> files_;  // that have come
  uint32_t come_ = 0;
  uint32_t left_ = 0;
};

}  // namespace edgewise
