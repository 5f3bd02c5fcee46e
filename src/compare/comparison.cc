#include "compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "compare/bins.h"
#include "compare/estimates.h"
#include "compare/latencies.h"
#include "compare/memory.h"
#include "compare/refusals.h"

namespace edgewise {
namespace {

constexpr double kBlocksAreLonger = 10;  // than the latency remembers
constexpr double kTail = 0.99;
constexpr double kPower = 0.8416212;  // four of five
constexpr uint32_t kFewer = 5;  // resamples of what is dear are so many times
                                // fewer
constexpr size_t kShiftPoints = 19;
constexpr uint64_t kLeastOfARoute = 200;

using Weights = std::vector<float>;

// A side in bins: all its latencies, those of each route, and the parts.
class Tables {
 public:
  Tables(const Side* side, double block_ns) : bins_(side, block_ns) {
    all_ = std::make_unique<Latencies>(bins_.count());
    bins_.ForEach([&](size_t bin, const ComparedRequest& request) {
      all_->Add(bin, request.latency_ns);
      auto& route = routes_[request.route];
      if (route == nullptr) {
        route = std::make_unique<Latencies>(bins_.count());
      }
      route->Add(bin, request.latency_ns);
      ++requests_of_[request.route];
      ++requests_;
    });
    all_->Finish();
    for (auto& [route, latencies] : routes_) latencies->Finish();
    ones_.assign(bins_.count(), 1);
    sums_ = PartsOver(0);
    tail_sums_ = PartsOver(all_->Quantile(kTail, ones_));
  }

  const Bins& bins() const { return bins_; }
  const Latencies& all() const { return *all_; }
  const Weights& ones() const { return ones_; }
  uint64_t requests() const { return requests_; }
  const std::map<uint32_t, uint64_t>& requests_of() const {
    return requests_of_;
  }
  const Latencies* Of(uint32_t route) const {
    const auto it = routes_.find(route);
    return it == routes_.end() ? nullptr : it->second.get();
  }
  double ShareOf(uint32_t route) const {
    const auto it = requests_of_.find(route);
    return it == requests_of_.end() ? 0
                                    : static_cast<double>(it->second) /
                                          static_cast<double>(requests_);
  }
  // The mean of a part, ns.
  double MeanOf(LatencyPart part, bool tail,
                std::span<const float> weights) const {
    const PartSums& sums = tail ? tail_sums_ : sums_;
    double ns = 0;
    double count = 0;
    for (size_t bin = 0; bin < weights.size(); ++bin) {
      ns += double{weights[bin]} * sums.ns[static_cast<size_t>(part)][bin];
      count += double{weights[bin]} * sums.count[bin];
    }
    return ns / count;
  }

 private:
  struct PartSums {
    std::array<std::vector<double>, kLatencyParts> ns;  // by bin
    std::vector<double> count;
  };

  PartSums PartsOver(double least_ns) const {
    PartSums sums;
    for (auto& each : sums.ns) each.assign(bins_.count(), 0);
    sums.count.assign(bins_.count(), 0);
    bins_.ForEach([&](size_t bin, const ComparedRequest& request) {
      if (request.latency_ns < least_ns) return;
      ++sums.count[bin];
      for (size_t part = 0; part < kLatencyParts; ++part) {
        sums.ns[part][bin] += request.parts_ns[part];
      }
    });
    return sums;
  }

  const Bins bins_;
  std::unique_ptr<Latencies> all_;
  std::map<uint32_t, std::unique_ptr<Latencies>> routes_;
  std::map<uint32_t, uint64_t> requests_of_;
  uint64_t requests_ = 0;
  Weights ones_;
  PartSums sums_;
  PartSums tail_sums_;
};

// Draws of blocks from both sides.
class Resampler {
 public:
  // `paired`: the sides have as many bins, of the same time.
  Resampler(const Tables* a, const Tables* b, bool paired, uint64_t seed)
      : a_(a), b_(b), paired_(paired), seed_(seed) {}

  // Of what `of(weights of A, weights of B)` says.
  template <typename Of>
  Estimates Run(uint32_t count, Of of) const {
    Estimates found{of(a_->ones(), b_->ones()), {}};
    std::mt19937_64 random(seed_);
    Weights one;
    Weights other;
    for (uint32_t i = 0; i < count; ++i) {
      a_->bins().Draw(&random, &one);
      if (!paired_) b_->bins().Draw(&random, &other);
      const double value = of(one, paired_ ? one : other);
      if (std::isfinite(value)) found.drawn.push_back(value);
    }
    return found;
  }

  double blocks() const {
    return static_cast<double>(
        std::min(a_->bins().blocks(), b_->bins().blocks()));
  }

 private:
  const Tables* a_;
  const Tables* b_;
  const bool paired_;
  const uint64_t seed_;
};

class Comparing {
 public:
  Comparing(const Side& a, const Side& b, const CompareOptions& options,
            Comparison* result)
      : options_(options),
        result_(result),
        a_(&a, result->block_ns),
        b_(&b, result->block_ns),
        draws_(&a_, &b_,
               result->concurrent && a_.bins().count() == b_.bins().count(),
               options.seed) {}

  void Go() {
    result_->a_blocks = a_.bins().blocks();
    result_->b_blocks = b_.bins().blocks();
    if (result_->a_blocks < 2 || result_->b_blocks < 2) return;
    for (const double percentile : kComparedPercentiles) {
      AddPercentile(percentile);
    }
    AddShift();
    AddRoutes();
    AddParts(/*tail=*/false, &result_->parts);
    AddParts(/*tail=*/true, &result_->tail_parts);
    for (const auto& [route, count] : a_.requests_of()) NoteShare(route);
    for (const auto& [route, count] : b_.requests_of()) NoteShare(route);
    const double time = static_cast<double>(b_.bins().count()) /
                        static_cast<double>(a_.bins().count());
    result_->rate =
        RatioOf(draws_.Run(options_.resamples / kFewer,
                           [&](const Weights& one, const Weights& other) {
                             return std::log(b_.all().Count(other) /
                                             a_.all().Count(one) / time);
                           }),
                draws_.blocks());
  }

 private:
  void NoteShare(uint32_t route) {
    result_->mixture = std::max(
        result_->mixture, std::abs(a_.ShareOf(route) - b_.ShareOf(route)));
  }

  Estimates LogsOf(const Latencies& one, const Latencies& other, double share,
                   uint32_t resamples) const {
    return draws_.Run(resamples, [&](const Weights& a, const Weights& b) {
      return std::log(other.Quantile(share, b) / one.Quantile(share, a));
    });
  }

  void AddPercentile(double percentile) {
    const double share = percentile / 100;
    const Estimates logs =
        LogsOf(a_.all(), b_.all(), share, options_.resamples);
    PercentileDifference found{};
    found.percentile = percentile;
    found.a_ns = a_.all().Quantile(share, a_.ones());
    found.b_ns = b_.all().Quantile(share, b_.ones());
    found.ratio = RatioOf(logs, draws_.blocks());
    found.same = HalvesOf(share);
    found.standardised = StandardisedOf(share);
    found.smallest = std::expm1((1 + kPower / kTwoSides) * kTwoSides *
                                ErrorOf(logs, draws_.blocks()));
    result_->percentiles.push_back(found);
  }

  // Every other block of A against the rest: their blocks lie beside each
  // other, as those of two sides at the same time do.
  Difference HalvesOf(double share) const {
    const size_t bins = a_.bins().count();
    Weights odd(bins);
    Weights even(bins);
    for (size_t bin = 0; bin < bins; ++bin) {
      (bin / kBinsInABlock % 2 == 0 ? even : odd)[bin] = 1;
    }
    const auto log_of = [&](const Weights& weights) {
      Weights one(bins);
      Weights other(bins);
      for (size_t bin = 0; bin < bins; ++bin) {
        one[bin] = weights[bin] * even[bin];
        other[bin] = weights[bin] * odd[bin];
      }
      return std::log(a_.all().Quantile(share, other) /
                      a_.all().Quantile(share, one));
    };
    Estimates found{log_of(a_.ones()), {}};
    std::mt19937_64 random(options_.seed + 1);
    Weights weights;
    for (uint32_t i = 0; i < options_.resamples / kFewer; ++i) {
      a_.bins().Draw(&random, &weights);
      const double value = log_of(weights);
      if (std::isfinite(value)) found.drawn.push_back(value);
    }
    return RatioOf(found, draws_.blocks() / 2);
  }

  // Routes that one side lacks have no part in it.
  Difference StandardisedOf(double share) const {
    std::vector<const Latencies*> one;
    std::vector<const Latencies*> other;
    std::vector<double> shares;
    for (const auto& [route, count] : a_.requests_of()) {
      if (b_.Of(route) == nullptr) continue;
      one.push_back(a_.Of(route));
      other.push_back(b_.Of(route));
      shares.push_back(a_.ShareOf(route));
    }
    return RatioOf(
        draws_.Run(options_.resamples / kFewer,
                   [&](const Weights& a, const Weights& b) {
                     return std::log(MixedQuantile(share, other, shares, b) /
                                     MixedQuantile(share, one, shares, a));
                   }),
        draws_.blocks());
  }

  // A band that holds the whole function: as many errors wide as the point that
  // strays most (of 95 % of the resamples).
  void AddShift() {
    std::vector<Estimates> points;
    for (size_t i = 0; i < kShiftPoints; ++i) {
      points.push_back(
          LogsOf(a_.all(), b_.all(), ShareOf(i), options_.resamples / kFewer));
    }
    std::vector<double> errors;
    size_t resamples = SIZE_MAX;
    for (const Estimates& each : points) {
      errors.push_back(ErrorOf(each, draws_.blocks()));
      resamples = std::min(resamples, each.drawn.size());
    }
    std::vector<double> strays(resamples);
    for (size_t k = 0; k < resamples; ++k) {
      for (size_t i = 0; i < points.size(); ++i) {
        if (!(errors[i] > 0)) continue;
        strays[k] =
            std::max(strays[k], std::abs(points[i].drawn[k] - points[i].value) /
                                    errors[i]);
      }
    }
    if (strays.empty()) return;
    std::sort(strays.begin(), strays.end());
    const double most =
        strays[static_cast<size_t>(0.95 * static_cast<double>(resamples - 1))];
    for (size_t i = 0; i < points.size(); ++i) {
      const double value = points[i].value;
      result_->shift.push_back(
          {ShareOf(i),
           {std::expm1(value), std::expm1(value - most * errors[i]),
            std::expm1(value + most * errors[i])}});
    }
  }

  static double ShareOf(size_t point) {
    return static_cast<double>(point + 1) /
           static_cast<double>(kShiftPoints + 1);
  }

  void AddRoutes() {
    for (const auto& [route, count] : a_.requests_of()) {
      const Latencies* const other = b_.Of(route);
      if (other == nullptr) continue;
      const uint64_t others = b_.requests_of().at(route);
      if (std::min(count, others) < kLeastOfARoute) continue;
      const Estimates median =
          LogsOf(*a_.Of(route), *other, 0.5, options_.resamples / kFewer);
      const Estimates p99 =
          LogsOf(*a_.Of(route), *other, kTail, options_.resamples / kFewer);
      const double blocks = draws_.blocks();
      result_->routes.push_back(
          {route, count, others, RatioOf(median, blocks), RatioOf(p99, blocks),
           std::min(ChanceOf(median.value / ErrorOf(median, blocks)),
                    ChanceOf(p99.value / ErrorOf(p99, blocks)))});
    }
    Holm();
  }

  // Two percentiles of each route are looked at.
  void Holm() {
    std::vector<RouteDifference>& routes = result_->routes;
    std::sort(routes.begin(), routes.end(),
              [](const RouteDifference& one, const RouteDifference& other) {
                return one.chance < other.chance;
              });
    double largest = 0;
    for (size_t i = 0; i < routes.size(); ++i) {
      const auto left = static_cast<double>(2 * (routes.size() - i));
      largest = std::max(largest, std::min(1.0, left * routes[i].chance));
      routes[i].chance = largest;
    }
  }

  void AddParts(bool tail, std::vector<PartDifference>* parts) const {
    for (size_t i = 0; i < kLatencyParts; ++i) {
      const auto part = static_cast<LatencyPart>(i);
      const Estimates found = draws_.Run(
          options_.resamples / kFewer, [&](const Weights& a, const Weights& b) {
            return b_.MeanOf(part, tail, b) - a_.MeanOf(part, tail, a);
          });
      parts->push_back({part, a_.MeanOf(part, tail, a_.ones()),
                        b_.MeanOf(part, tail, b_.ones()),
                        DifferenceOf(found, draws_.blocks())});
    }
  }

  const CompareOptions options_;
  Comparison* const result_;
  const Tables a_;
  const Tables b_;
  const Resampler draws_;
};

}  // namespace

Comparison Compare(const Side& a, const Side& b,
                   const CompareOptions& options) {
  Comparison result;
  result.a_requests = a.requests();
  result.b_requests = b.requests();
  Side one = a;
  Side other = b;
  result.concurrent = CutToCommonTime(&one, &other);
  result.memory_ns = std::max(MemoryNs(one), MemoryNs(other));
  result.block_ns = options.block_ns > 0 ? options.block_ns
                                         : kBlocksAreLonger * result.memory_ns;
  if (result.block_ns > 0) Comparing(one, other, options, &result).Go();
  Refuse(&result);
  return result;
}

}  // namespace edgewise
