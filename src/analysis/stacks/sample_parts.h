#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/stream/event_stream.h"

namespace edgewise {

// What an event has run, divided among its samples.
class SampleParts {
 public:
  explicit SampleParts(const Event& event);

  // A stretch for all of which it ran.
  struct Part {
    int64_t from_ns;
    int64_t to_ns;
    int64_t in_ns;  // when the sample was taken, if that was in it
    size_t sample;  // that stands for it
    double weight_ns;
  };
  // In order.
  std::vector<Part> Take();

 private:
  static constexpr size_t kNone = SIZE_MAX;
  struct Stretch {
    int64_t from_ns;
    int64_t to_ns;
  };

  bool Rests(int64_t ns) const;
  void Add(int64_t from_ns, int64_t to_ns, int64_t in_ns, size_t sample);
  void Put(int64_t from_ns, int64_t to_ns, int64_t in_ns, size_t sample);
  double RanNs() const;

  const Event& event_;
  std::vector<Stretch> away_;   // in which it collected or did not run
  std::vector<Stretch> rests_;  // in which it collected or slept
  std::vector<Part> parts_;
};

}  // namespace edgewise
