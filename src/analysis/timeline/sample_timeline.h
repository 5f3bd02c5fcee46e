#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace edgewise {

// What a sample was a part of, for a request of the tail, of the rest, or for
// the one asked for, which is of one of them, too.
enum class SampleRole : uint8_t {
  kTailWait = 0,  // the request was ready, and waited for the loop
  kTailExec = 1,  // it ran
  kRestWait = 2,
  kRestExec = 3,
  kRequestWait = 4,
  kRequestExec = 5,
};
inline constexpr size_t kSampleRoles = 6;

// Of one stack: for how long it ran in each role, summed over requests, ns.
struct StackWeights {
  std::array<double, kSampleRoles> ns{};

  double Of(SampleRole role) const { return ns[static_cast<size_t>(role)]; }
  StackWeights& operator+=(const StackWeights& other) {
    for (size_t i = 0; i < ns.size(); ++i) ns[i] += other.ns[i];
    return *this;
  }
};

// The samples of one thread's stacks, in order of time. Many requests wait for
// the same second, which has many samples: neither is walked for the other.
// Where a request's stretch begins and ends is noted, and summed up as samples
// leave.
class SampleTimeline {
 public:
  // A sample stands for `weight_ns` of `stack`, a StackTree's node. It was
  // taken at a moment between two others, which are not before those of the
  // sample before it. If these are milliseconds apart, a request's stretch gets
  // the part that lies in it; else all, if it was taken in it.
  void Push(int64_t from_ns, int64_t taken_ns, int64_t to_ns, double weight_ns,
            uint32_t stack);

  // One request's stretch.
  void Add(SampleRole role, int64_t from_ns, int64_t to_ns);

  // Drops those before a moment; sink(stack, StackWeights) for each that was
  // part of anything.
  template <typename Sink>
  void Retire(int64_t before_ns, Sink&& sink) {
    while (!samples_.empty() && samples_.front().ns < before_ns) {
      const Sample& sample = samples_.front();
      StackWeights weights;
      bool any = false;
      for (size_t role = 0; role < kSampleRoles; ++role) {
        running_[role] += sample.begins[role];
        weights.ns[role] =
            static_cast<double>(running_[role]) * sample.weight_ns;
        any = any || running_[role] != 0;
      }
      if (any) sink(sample.stack, weights);
      samples_.pop_front();
    }
  }

  // sink(ns, weight_ns, stack) for each of a stretch that is still held.
  template <typename Sink>
  void ForEach(int64_t from_ns, int64_t to_ns, Sink&& sink) const {
    for (auto at = std::lower_bound(
             samples_.begin(), samples_.end(), from_ns,
             [](const Sample&sample, int64_t ns) { return sample.ns < ns; });
         at != samples_.end() && at->ns < to_ns; ++at) {
      sink(at->ns, at->weight_ns, at->stack);
    }
  }

  bool empty() const { return samples_.empty(); }
  // So many samples there were, as the caller counts them.
  void Count(size_t samples) { count_ += samples; }
  uint64_t count() const { return count_; }

 private:
  static constexpr int64_t kPartNs = 1'000'000;
  static constexpr int64_t kMostParts = 64;

  // How many stretches begin with a sample, less those that have ended there.
  using Begins = std::array<int32_t, kSampleRoles>;
  struct Sample {  // or a part of one
    int64_t ns;
    double weight_ns;
    uint32_t stack;
    Begins begins;
  };

  Begins& BeginsAt(int64_t ns);

  std::deque<Sample> samples_;
  Begins next_{};  // of the sample that comes next
  std::array<int64_t, kSampleRoles> running_{};
  uint64_t count_ = 0;
};

}  // namespace edgewise
