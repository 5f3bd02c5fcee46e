#include "compare/verdict/refusals.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/sample/load.h"
#include "compare/verdict/estimates.h"

namespace edgewise {
namespace {

constexpr uint64_t kFewestBlocks = 20;
constexpr double kShortest = 2;        // blocks, of what the latency remembers
constexpr double kFewestTail = 20;     // requests above a percentile
constexpr double kMostMixture = 0.02;  // of the requests
constexpr double kMostRate = 0.1;
constexpr double kCommon = 0.8;  // of the shorter run
constexpr double kMostLost = 0.001;
constexpr double kOverloaded = 0.9;    // of its time the loop is busy
constexpr double kMostlyAtMost = 0.5;  // of the time

void CutTo(int64_t begin_ns, int64_t end_ns, Run* run) {
  run->begin_ns = begin_ns;
  run->end_ns = end_ns;
  std::erase_if(run->requests, [&](const ComparedRequest& request) {
    return request.at_ns < begin_ns || request.at_ns > end_ns;
  });
}

void ByTime(Side* side) {
  std::sort(side->runs.begin(), side->runs.end(),
            [](const Run& one, const Run& other) {
              return one.begin_ns < other.begin_ns;
            });
}

// Three standard errors: several percentiles are looked at, and A that repeats
// itself is not to be refused one time in twenty.
bool IsFarFromNone(const Difference& same) {
  constexpr double kWider = 3 / kTwoSides;
  return same.value - kWider * (same.value - same.low) > 0 ||
         same.value + kWider * (same.high - same.value) < 0;
}

using Refused = std::vector<std::string>;

void RefuseRecording(const char* side, const Recorded& recorded,
                     const Load& load, Refused* refused) {
  const double lost = static_cast<double>(recorded.dropped) /
                      static_cast<double>(std::max<uint64_t>(
                          1, recorded.records + recorded.dropped));
  if (lost > kMostLost) {
    refused->push_back(
        absl::StrFormat("%s lacks %.2f %% of its records, %g %% may be: raise "
                        "EDGEWISE_RING_RECORDS",
                        side, 100 * lost, 100 * kMostLost));
  }
  if (recorded.busy >= kOverloaded && load.at_most >= kMostlyAtMost) {
    refused->push_back(absl::StrFormat(
        "the clients of %s wait for their answers (nearly the most are in "
        "flight for %.0f %% of the time) and its loop is busy for %.0f %%: a "
        "slower server would get fewer requests, not a longer queue. Send at a "
        "rate that does not depend on the answers",
        side, 100 * load.at_most, 100 * recorded.busy));
  }
}

void RefuseRecordings(const Recorded& a, const Recorded& b,
                      const Comparison& comparison, Refused* refused) {
  if (a.how != b.how) {
    refused->push_back(absl::StrFormat("A was recorded with %s, B with %s",
                                       absl::StrJoin(a.how, ", "),
                                       absl::StrJoin(b.how, ", ")));
  }
  RefuseRecording("A", a, comparison.a_load, refused);
  RefuseRecording("B", b, comparison.b_load, refused);
}

void RefuseShort(Comparison* comparison) {
  Refused& refused = comparison->refused;
  if (comparison->a_requests == 0 || comparison->b_requests == 0) {
    refused.push_back(absl::StrFormat("%s has no request",
                                      comparison->a_requests == 0 ? "A" : "B"));
    return;
  }
  if (comparison->block_ns < kShortest * comparison->memory_ns) {
    refused.push_back(absl::StrFormat(
        "blocks of %.3g s are too short for a latency that remembers %.3g s: "
        "they depend on each other",
        comparison->block_ns / 1e9, comparison->memory_ns / 1e9));
  }
  const uint64_t blocks = std::min(comparison->a_blocks, comparison->b_blocks);
  if (blocks < kFewestBlocks) {
    refused.push_back(absl::StrFormat(
        "%d blocks of %.1f s are too few, %d a side are needed: record %.0f s "
        "of each",
        blocks, comparison->block_ns / 1e9, kFewestBlocks,
        std::ceil(static_cast<double>(kFewestBlocks) * comparison->block_ns /
                  1e9)));
  }
  const auto fewer = static_cast<double>(
      std::min(comparison->a_requests, comparison->b_requests));
  std::erase_if(comparison->percentiles, [&](const PercentileDifference& each) {
    const double above = fewer * (1 - each.percentile / 100);
    if (above >= kFewestTail) return false;
    comparison->untold.push_back(
        absl::StrFormat("p%g has %.0f requests above it; %g are needed",
                        each.percentile, above, kFewestTail));
    return true;
  });
}

void RefuseUnlike(Comparison* comparison) {
  Refused& refused = comparison->refused;
  for (const PercentileDifference& each : comparison->percentiles) {
    if (!IsFarFromNone(each.same)) continue;
    refused.push_back(absl::StrFormat(
        "p%g of %s by %+.0f %% [%+.0f, %+.0f]: A does not repeat itself",
        each.percentile,
        comparison->second ? "the second A differs from A's"
                           : "one half of A differs from the other's",
        100 * each.same.value, 100 * each.same.low, 100 * each.same.high));
  }
  if (comparison->concurrent) return;
  if (comparison->rate.IsSure() &&
      std::abs(comparison->rate.value) > kMostRate) {
    refused.push_back(absl::StrFormat(
        "B got %+.0f %% requests a second, at another time: what the change "
        "does cannot be told from what the load does",
        100 * comparison->rate.value));
  }
  const double by_chance =
      3 * std::sqrt(0.25 / static_cast<double>(comparison->a_requests) +
                    0.25 / static_cast<double>(comparison->b_requests));
  if (comparison->mixture > kMostMixture + by_chance) {
    refused.push_back(absl::StrFormat(
        "the share of a route differs by %.0f %% of the requests, at another "
        "time: only what is standardised to A's mixture can be compared",
        100 * comparison->mixture));
  }
}

}  // namespace

bool CutToCommonTime(Side* a, Side* b) {
  if (a->runs.size() != b->runs.size() || a->runs.empty()) return false;
  ByTime(a);
  ByTime(b);
  for (size_t i = 0; i < a->runs.size(); ++i) {
    const Run& one = a->runs[i];
    const Run& other = b->runs[i];
    const int64_t common_ns = std::min(one.end_ns, other.end_ns) -
                              std::max(one.begin_ns, other.begin_ns);
    const int64_t shorter_ns = std::min(one.span_ns(), other.span_ns());
    if (static_cast<double>(common_ns) <
        kCommon * static_cast<double>(shorter_ns)) {
      return false;
    }
  }
  for (size_t i = 0; i < a->runs.size(); ++i) {
    Run* const one = &a->runs[i];
    Run* const other = &b->runs[i];
    const int64_t begin_ns = std::max(one->begin_ns, other->begin_ns);
    const int64_t end_ns = std::min(one->end_ns, other->end_ns);
    CutTo(begin_ns, end_ns, one);
    CutTo(begin_ns, end_ns, other);
  }
  return true;
}

void Refuse(const Recorded& a, const Recorded& b, Comparison* comparison) {
  RefuseRecordings(a, b, *comparison, &comparison->refused);
  RefuseShort(comparison);
  RefuseUnlike(comparison);
}

}  // namespace edgewise
