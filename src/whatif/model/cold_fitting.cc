#include "whatif/model/cold_fitting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace edgewise {
namespace {

// The mean without the shortest and the longest 2 %: the few that something
// else has stretched are no part of what a cold cache costs.
double UsualOf(std::vector<float>* lengths) {
  std::sort(lengths->begin(), lengths->end());
  const size_t left_out = lengths->size() / 50;
  const auto first = lengths->begin() + static_cast<std::ptrdiff_t>(left_out);
  const auto last = lengths->end() - static_cast<std::ptrdiff_t>(left_out);
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

}  // namespace

void FitColdCaches(LoopModel* model) {
  constexpr size_t kBins = std::tuple_size_v<decltype(ColdCaches::extra_ns)>;
  constexpr size_t kLeastWarm = 20;
  constexpr size_t kLeast = 5;
  using Lengths = std::vector<float>;
  absl::flat_hash_map<uint32_t, std::array<Lengths, kBins + 1>> routes;
  for (const ModelRequest& request : model->requests) {
    const Job& job = model->jobs[request.first_job];
    if (job.prefix_ns < 0) continue;
    routes[request.route]
          [job.idle_ns < 0 ? kBins : ColdCaches::BinOf(job.idle_ns)]
              .push_back(job.own_ns + job.prefix_ns);
  }
  float longest = 0;
  for (size_t bin = 0; bin < kBins; ++bin) {
    double extra_ns = 0;
    size_t count = 0;
    for (auto& [route, lengths] : routes) {
      Lengths& warm = lengths[kBins];
      Lengths& here = lengths[bin];
      if (warm.size() < kLeastWarm || here.size() < kLeast) continue;
      extra_ns +=
          (UsualOf(&here) - UsualOf(&warm)) * static_cast<double>(here.size());
      count += here.size();
    }
    if (count > 0) {
      longest = std::max(
          longest, static_cast<float>(extra_ns / static_cast<double>(count)));
    }
    model->cold.extra_ns[bin] = longest;
  }
  for (Job& job : model->jobs) {
    const float all = job.own_ns + std::max(0.F, job.prefix_ns);
    const float taken = std::min(model->cold.ExtraNs(job.idle_ns), all / 2);
    const float factor = all > 0 ? (all - taken) / all : 1;
    job.own_ns *= factor;
    job.issue_ns *= factor;
    if (job.end_ns > 0) job.end_ns *= factor;
    if (job.prefix_ns > 0) job.prefix_ns *= factor;
  }
}

}  // namespace edgewise
