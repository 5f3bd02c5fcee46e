#include "compare/verdict/side_tables.h"

namespace edgewise {
namespace {

constexpr double kTailShare = 0.99;

}  // namespace

SideTables::SideTables(const Side* side, double block_ns, size_t details)
    : side_(side), bins_(side, block_ns) {
  all_ = std::make_unique<Latencies>(bins_.count());
  bins_.ForEach([&](size_t bin, const Run&, const ComparedRequest& request) {
    all_->Add(bin, request.latency_ns);
    auto& route = routes_[request.route];
    if (route == nullptr) route = std::make_unique<Latencies>(bins_.count());
    route->Add(bin, request.latency_ns);
    ++requests_of_[request.route];
    ++requests_;
  });
  all_->Finish();
  for (auto& [route, latencies] : routes_) latencies->Finish();
  ones_.assign(bins_.count(), 1);
  sums_ = SumsFrom(0, details);
  tail_sums_ = SumsFrom(all_->Quantile(kTailShare, ones_), details);
}

std::unique_ptr<SideTables::Sums> SideTables::SumsFrom(double least_ns,
                                                       size_t details) const {
  auto sums = std::make_unique<Sums>(bins_.count(), details);
  bins_.ForEach([&](size_t bin, const Run& run, const ComparedRequest& each) {
    if (each.latency_ns < least_ns) return;
    sums->Add(bin, each,
              std::span(run.details).subspan(each.first_detail, each.details));
  });
  return sums;
}

const Latencies* SideTables::Of(uint32_t route) const {
  const auto it = routes_.find(route);
  return it == routes_.end() ? nullptr : it->second.get();
}

double SideTables::ShareOf(uint32_t route) const {
  const auto it = requests_of_.find(route);
  return it == requests_of_.end()
             ? 0
             : static_cast<double>(it->second) / static_cast<double>(requests_);
}

SideTables::Sums::Sums(size_t bins, size_t details)
    : details_(details), count_(bins) {
  for (auto& each : parts_) each.assign(bins, 0);
}

void SideTables::Sums::Add(size_t bin, const ComparedRequest& request,
                           std::span<const DetailTime> details) {
  ++count_[bin];
  for (size_t part = 0; part < kLatencyParts; ++part) {
    parts_[part][bin] += request.parts_ns[part];
  }
  for (const DetailTime& each : details) {
    std::vector<double>& ns = details_[each.detail];
    if (ns.empty()) ns.assign(count_.size(), 0);
    ns[bin] += each.ns;
  }
}

double SideTables::Sums::Mean(const std::vector<double>& ns,
                              std::span<const float> weights) const {
  double sum = 0;
  double count = 0;
  for (size_t bin = 0; bin < weights.size(); ++bin) {
    sum += ns.empty() ? 0 : double{weights[bin]} * ns[bin];
    count += double{weights[bin]} * count_[bin];
  }
  return sum / count;
}

double SideTables::Sums::MeanOf(LatencyPart part,
                                std::span<const float> weights) const {
  return Mean(parts_[static_cast<size_t>(part)], weights);
}

double SideTables::Sums::MeanOf(uint32_t detail,
                                std::span<const float> weights) const {
  return Mean(details_[detail], weights);
}

}  // namespace edgewise
