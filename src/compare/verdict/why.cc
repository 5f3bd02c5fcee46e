#include "compare/verdict/why.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace edgewise {
namespace {

using Weights = std::span<const float>;

class Reasons {
 public:
  Reasons(const WhyInput& input, bool tail)
      : input_(input),
        a_(tail ? input.a->tail_sums() : input.a->sums()),
        b_(tail ? input.b->tail_sums() : input.b->sums()) {}

  Why Find() {
    for (size_t i = 0; i < kLatencyParts; ++i) {
      const auto part = static_cast<LatencyPart>(i);
      const Means found = MeansOf([part](const Sums& sums, Weights weights) {
        return sums.MeanOf(part, weights);
      });
      why_.parts.push_back({part, found.a_ns, found.b_ns, found.ns});
      AddDetails(part);
    }
    return std::move(why_);
  }

 private:
  using Sums = SideTables::Sums;

  struct Means {
    double a_ns;
    double b_ns;
    Difference ns;
  };

  // Of what mean_of(sums, weights) says of each side.
  template <typename MeanOf>
  Means MeansOf(MeanOf mean_of) const {
    const double a_ns = mean_of(a_, input_.a->ones());
    const double b_ns = mean_of(b_, input_.b->ones());
    const Estimates found = input_.draws->Run(
        input_.resamples, b_ns - a_ns,
        [&](Weights a, Weights b) { return mean_of(b_, b) - mean_of(a_, a); });
    return {a_ns, b_ns, input_.sureness.DifferenceOf(found)};
  }

  // Those that take part in it, the one that differs most first.
  std::vector<uint32_t> DetailsOf(LatencyPart part) const {
    struct Found {
      uint32_t detail;
      double apart_ns;
    };
    std::vector<Found> found;
    const auto& names = input_.options->names->details;
    for (uint32_t i = 0; i < names.size(); ++i) {
      if (names[i].part != part) continue;
      const double a_ns = a_.MeanOf(i, input_.a->ones());
      const double b_ns = b_.MeanOf(i, input_.b->ones());
      if (a_ns == 0 && b_ns == 0) continue;
      found.push_back({i, std::abs(b_ns - a_ns)});
    }
    std::sort(found.begin(), found.end(),
              [](const Found& one, const Found& other) {
                return one.apart_ns > other.apart_ns;
              });
    std::vector<uint32_t> details;
    for (const Found& each : found) details.push_back(each.detail);
    return details;
  }

  void AddDetails(LatencyPart part) {
    if (input_.options->names == nullptr) return;
    std::vector<uint32_t> details = DetailsOf(part);
    if (details.empty()) return;
    const bool rest = details.size() > input_.options->told;
    if (rest) details.resize(input_.options->told);
    for (const uint32_t detail : details) {
      const Means found = MeansOf([detail](const Sums& sums, Weights weights) {
        return sums.MeanOf(detail, weights);
      });
      why_.details.push_back({detail, part, found.a_ns, found.b_ns, found.ns});
    }
    if (!rest) return;
    const Means others = MeansOf([&](const Sums& sums, Weights weights) {
      double ns = sums.MeanOf(part, weights);
      for (const uint32_t detail : details) ns -= sums.MeanOf(detail, weights);
      return ns;
    });
    why_.details.push_back(
        {DetailDifference::kOthers, part, others.a_ns, others.b_ns, others.ns});
  }

  const WhyInput& input_;
  const Sums& a_;
  const Sums& b_;
  Why why_;
};

}  // namespace

Why WhyOf(const WhyInput& input, bool tail) {
  return Reasons(input, tail).Find();
}

}  // namespace edgewise
