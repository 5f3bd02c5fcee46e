#include "compare/verdict/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "compare/sample/bins.h"
#include "compare/sample/clients.h"
#include "compare/sample/latencies.h"
#include "compare/sample/memory.h"
#include "compare/verdict/refusals.h"
#include "compare/verdict/resampler.h"
#include "compare/verdict/side_tables.h"
#include "compare/verdict/why.h"

namespace edgewise {
namespace {

constexpr double kBlocksAreLonger = 10;  // than the latency remembers
constexpr double kMostBlocks = 200;      // of a side: more tell no more
constexpr double kTail = 0.99;
constexpr double kPower = 0.8416212;  // four of five
// Resamples of what is dear are so many times fewer.
constexpr uint32_t kFewer = 5;
constexpr size_t kShiftPoints = 19;
constexpr uint64_t kLeastOfARoute = 200;
constexpr uint64_t kFewestClients = 20;

using Weights = std::span<const float>;

Difference None() { return {std::nan(""), std::nan(""), std::nan("")}; }

// Compares sides that have blocks.
class Comparing {
 public:
  Comparing(const SideTables* a, const SideTables* b,
            const CompareOptions& options, Comparison* result)
      : options_(options),
        result_(result),
        a_(*a),
        b_(*b),
        blocks_(static_cast<double>(
            std::min(a->bins().blocks(), b->bins().blocks()))),
        base_(blocks_, options.always),
        sureness_(base_),
        draws_(&a->bins(), &b->bins(),
               result->concurrent && a->bins().count() == b->bins().count(),
               options.seed),
        few_(options.resamples / kFewer) {}

  void Go() {
    for (const double percentile : kComparedPercentiles) {
      AddPercentile(percentile);
    }
    if (!options_.brief) AddMore();
    AddShares();
    const double time = static_cast<double>(b_.bins().count()) /
                        static_cast<double>(a_.bins().count());
    const auto rate = [&](Weights one, Weights other) {
      return std::log(b_.all().Count(other) / a_.all().Count(one) / time);
    };
    result_->rate =
        sureness_.RatioOf(draws_.Run(few_, rate(a_.ones(), b_.ones()), rate));
  }

  void AddMore() {
    AddShift();
    AddRoutes();
    const WhyInput why{&a_, &b_, &draws_, sureness_, &options_, few_};
    result_->all = WhyOf(why, /*tail=*/false);
    result_->tail = WhyOf(why, /*tail=*/true);
  }

  // A against a second A, in place of its halves.
  void AddSecond(const SideTables& second) {
    const double blocks =
        std::min(blocks_, static_cast<double>(second.bins().blocks()));
    const Resampler<Bins> draws(&a_.bins(), &second.bins(), false,
                                options_.seed + 1);
    for (PercentileDifference& each : result_->percentiles) {
      const double share = each.percentile / 100;
      const auto log = [&](Weights one, Weights other) {
        return std::log(second.all().Quantile(share, other) /
                        a_.all().Quantile(share, one));
      };
      each.same =
          Sureness(blocks, options_.always)
              .RatioOf(draws.Run(few_, log(a_.ones(), second.ones()), log));
    }
    result_->second = true;
  }

  // The same as if connections were what is independent.
  void AddClients(const Clients& a, const Clients& b) {
    result_->a_clients = a.count();
    result_->b_clients = b.count();
    const uint64_t fewer = std::min(a.count(), b.count());
    if (fewer < kFewestClients) return;
    const Resampler<Clients> draws(&a, &b, false, options_.seed + 2);
    const std::vector<float> a_ones(a.groups(), 1);
    const std::vector<float> b_ones(b.groups(), 1);
    const Sureness sureness(
        static_cast<double>(std::min(a.groups(), b.groups())), options_.always);
    for (PercentileDifference& each : result_->percentiles) {
      const double share = each.percentile / 100;
      const auto log = [&](Weights one, Weights other) {
        return std::log(b.latencies().Quantile(share, other) /
                        a.latencies().Quantile(share, one));
      };
      each.by_client =
          sureness.RatioOf(draws.Run(few_, log(a_ones, b_ones), log));
    }
  }

 private:
  void AddShares() {
    std::map<uint32_t, RouteShare> shares;
    for (const auto& [route, count] : a_.requests_of()) shares[route] = {};
    for (const auto& [route, count] : b_.requests_of()) shares[route] = {};
    for (auto& [route, share] : shares) {
      share = {route, a_.ShareOf(route), b_.ShareOf(route)};
      result_->mixture =
          std::max(result_->mixture, std::abs(share.a - share.b));
      result_->shares.push_back(share);
    }
  }

  Estimates LogsOf(const Latencies& one, const Latencies& other, double share,
                   uint32_t resamples, bool halves = false) const {
    const auto log = [&](Weights a, Weights b) {
      return std::log(other.Quantile(share, b) / one.Quantile(share, a));
    };
    return draws_.Run(resamples, log(a_.ones(), b_.ones()), log, halves);
  }

  void AddPercentile(double percentile) {
    const double share = percentile / 100;
    const Estimates logs =
        LogsOf(a_.all(), b_.all(), share, options_.resamples);
    const Sureness sureness = base_.For(
        logs, LogsOf(a_.all(), b_.all(), share, options_.resamples / 2,
                     /*halves=*/true));
    if (percentile == kComparedPercentiles[0]) sureness_ = sureness;
    PercentileDifference found{};
    found.percentile = percentile;
    found.a_ns = a_.all().Quantile(share, a_.ones());
    found.b_ns = b_.all().Quantile(share, b_.ones());
    found.ratio = sureness.RatioOf(logs);
    found.same = HalvesOf(share);
    found.standardised = StandardisedOf(share, sureness);
    found.by_client = None();
    found.smallest =
        std::expm1((sureness.errors() + kPower) * sureness.ErrorOf(logs));
    result_->percentiles.push_back(found);
  }

  // Every other block of A against the rest: their blocks lie beside each
  // other, as those of two sides at the same time do.
  Difference HalvesOf(double share) const {
    const size_t bins = a_.bins().count();
    std::vector<float> odd(bins);
    std::vector<float> even(bins);
    for (size_t bin = 0; bin < bins; ++bin) {
      (bin / kBinsInABlock % 2 == 0 ? even : odd)[bin] = 1;
    }
    const auto log_of = [&](Weights weights, Weights /*of B*/) {
      std::vector<float> one(bins);
      std::vector<float> other(bins);
      for (size_t bin = 0; bin < bins; ++bin) {
        one[bin] = weights[bin] * even[bin];
        other[bin] = weights[bin] * odd[bin];
      }
      return std::log(a_.all().Quantile(share, other) /
                      a_.all().Quantile(share, one));
    };
    const Resampler<Bins> draws(&a_.bins(), &a_.bins(), true,
                                options_.seed + 1);
    return Sureness(blocks_ / 2, options_.always)
        .RatioOf(draws.Run(few_, log_of(a_.ones(), {}), log_of));
  }

  // Routes that one side lacks have no part in it.
  Difference StandardisedOf(double share, const Sureness& sureness) const {
    std::vector<const Latencies*> one;
    std::vector<const Latencies*> other;
    std::vector<double> shares;
    for (const auto& [route, count] : a_.requests_of()) {
      if (b_.Of(route) == nullptr) continue;
      one.push_back(a_.Of(route));
      other.push_back(b_.Of(route));
      shares.push_back(a_.ShareOf(route));
    }
    const auto log = [&](Weights a, Weights b) {
      return std::log(MixedQuantile(share, other, shares, b) /
                      MixedQuantile(share, one, shares, a));
    };
    return sureness.RatioOf(draws_.Run(few_, log(a_.ones(), b_.ones()), log));
  }

  // A band that holds the whole function: as many errors wide as the point that
  // strays most (of 95 % of the resamples).
  void AddShift() {
    std::vector<Estimates> points;
    for (size_t i = 0; i < kShiftPoints; ++i) {
      points.push_back(LogsOf(a_.all(), b_.all(), ShareOf(i), few_));
    }
    std::vector<double> errors;
    size_t resamples = SIZE_MAX;
    for (const Estimates& each : points) {
      errors.push_back(sureness_.ErrorOf(each));
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
    // Of all looks: wider by as much as each point's interval is.
    const double most =
        strays[static_cast<size_t>(0.95 * static_cast<double>(resamples - 1))] *
        sureness_.errors() / kTwoSides;
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
      const Estimates median = LogsOf(*a_.Of(route), *other, 0.5, few_);
      const Estimates p99 = LogsOf(*a_.Of(route), *other, kTail, few_);
      result_->routes.push_back(
          {route, count, others, sureness_.RatioOf(median),
           sureness_.RatioOf(p99),
           std::min(ChanceOf(median.value / sureness_.ErrorOf(median)),
                    ChanceOf(p99.value / sureness_.ErrorOf(p99)))});
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

  const CompareOptions& options_;
  Comparison* const result_;
  const SideTables& a_;
  const SideTables& b_;
  const double blocks_;
  const Sureness base_;
  Sureness sureness_;  // of what is not one percentile: as at the median
  const Resampler<Bins> draws_;
  const uint32_t few_;
};

double BlockNs(const Side& a, const Side& b, double memory_ns) {
  const auto longer = static_cast<double>(std::max(a.span_ns(), b.span_ns()));
  return std::max(kBlocksAreLonger * memory_ns, longer / kMostBlocks);
}

}  // namespace

Comparison Compare(Side a, Side b, const CompareOptions& options) {
  Comparison result;
  result.a_requests = a.requests();
  result.b_requests = b.requests();
  result.concurrent = CutToCommonTime(&a, &b);
  result.a_load = LoadOf(a);
  result.b_load = LoadOf(b);
  result.memory_ns = std::max(MemoryNs(a), MemoryNs(b));
  result.block_ns =
      options.block_ns > 0 ? options.block_ns : BlockNs(a, b, result.memory_ns);
  if (result.memory_ns > 0) {
    const size_t details =
        options.names == nullptr ? 0 : options.names->details.size();
    const SideTables a_tables(&a, result.block_ns, details);
    const SideTables b_tables(&b, result.block_ns, details);
    result.a_blocks = a_tables.bins().blocks();
    result.b_blocks = b_tables.bins().blocks();
    if (result.a_blocks >= 2 && result.b_blocks >= 2) {
      Comparing comparing(&a_tables, &b_tables, options, &result);
      comparing.Go();
      if (options.second_a != nullptr) {
        const SideTables second(options.second_a, result.block_ns, details);
        if (second.bins().blocks() >= 2) comparing.AddSecond(second);
      }
      if (!options.brief) comparing.AddClients(Clients(a), Clients(b));
    }
  }
  Refuse(a.recorded, b.recorded, &result);
  return result;
}

}  // namespace edgewise
