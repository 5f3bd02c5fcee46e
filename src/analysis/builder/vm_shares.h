#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/graph/loop_timeline.h"
#include "analysis/stream/event_stream.h"

namespace edgewise {

// Divides V8's times, of which a recorder tells sums over stretches of an
// event, among the pieces of the event: in proportion to their length, without
// collections, and while the thread ran. The shares of a stretch sum to what
// was told.
class VmShares {
 public:
  // A new event.
  void Plan(const Event& event) {
    if (!stretches_.empty()) Clear();
    for (const InnerRecord& record : event.inner) {
      if (record.kind != RecordKind::kTimes) continue;
      Measure(event);
      break;
    }
  }

  bool empty() const { return stretches_.empty(); }

  // Of the event's next piece without collection, in which it ran. In order.
  VmTimes Take(int64_t begin_ns, int64_t end_ns);

 private:
  struct Stretch {
    int64_t end_ns;
    int64_t left_ns;  // not taken, of what such pieces are made of
    VmTimes times;    // not taken
  };

  static VmTimes ShareOf(const Stretch& stretch, int64_t part_ns);
  void Clear();
  void Measure(const Event& event);

  std::vector<Stretch> stretches_;
  size_t next_ = 0;
};

}  // namespace edgewise
