// Statistics of a run, and the raw files it leaves.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "load/report.h"

namespace edgewise::load {
namespace {

std::vector<int64_t> Collect(const RunResult& result, auto value,
                             auto include) {
  std::vector<int64_t> values;
  for (const Sample& sample : result.samples) {
    if (!sample.warmup && include(sample)) values.push_back(value(sample));
  }
  return values;
}

bool Answered(const Sample& sample) { return sample.failure == Failure::kNone; }

int64_t IntendedLatency(const Sample& sample) {
  return sample.end_ns - sample.intended_ns;
}

bool Not2xx(const Sample& sample) {
  return Answered(sample) && (sample.status < 200 || sample.status > 299);
}

// What of the result `is_of` it.
Summary::Part PartOf(const RunResult& result, std::string name, auto is_of) {
  Summary::Part part{.name = std::move(name),
                     .intended = Distribution(
                         Collect(result, IntendedLatency, [&](const Sample& s) {
                           return is_of(s) && Answered(s);
                         }))};
  part.count = part.intended.count();
  for (const Sample& s : result.samples) {
    if (s.warmup || !is_of(s)) continue;
    part.errors += !Answered(s);
    part.non_2xx += Not2xx(s);
    part.unexpected += s.unexpected;
  }
  return part;
}

}  // namespace

Distribution::Distribution(std::vector<int64_t> values_ns)
    : sorted_ns_(std::move(values_ns)) {
  std::sort(sorted_ns_.begin(), sorted_ns_.end());
  if (sorted_ns_.empty()) return;
  const double count = static_cast<double>(sorted_ns_.size());
  for (int64_t value : sorted_ns_) mean_ns_ += static_cast<double>(value);
  mean_ns_ /= count;
  double squares = 0;
  for (int64_t value : sorted_ns_) {
    squares += std::pow(static_cast<double>(value) - mean_ns_, 2);
  }
  deviation_ns_ = std::sqrt(squares / count);
}

int64_t Distribution::QuantileNs(double fraction) const {
  if (sorted_ns_.empty()) return 0;
  const double count = static_cast<double>(sorted_ns_.size());
  // The subtrahend undoes the rounding of products such as 0.999 * 1000.
  const double rank = std::ceil(fraction * count - 1e-9 * count);
  const auto index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return sorted_ns_[std::min(index, sorted_ns_.size() - 1)];
}

Summary::Summary(const RunResult& result, const RunLabel& label, const Mix& mix)
    : intended(Collect(result, IntendedLatency, Answered)),
      actual(Collect(
          result, [](const Sample& s) { return s.end_ns - s.sent_ns; },
          Answered)),
      lag(Collect(
          result, [](const Sample& s) { return s.dispatched_ns - s.due_ns; },
          [](const Sample&) { return true; })) {
  sent_total = result.samples.size();
  uint64_t measured = 0;
  uint64_t answered_in_time = 0;
  for (const Sample& sample : result.samples) {
    if (Answered(sample)) {
      ++answered_total;
      answered_in_time += sample.end_ns >= result.measured_from_ns &&
                          sample.end_ns < result.measured_to_ns;
    }
    if (sample.warmup) {
      errors_warmup += !Answered(sample);
      continue;
    }
    ++measured;
    count += Answered(sample);
    errors += !Answered(sample);
    ++by_failure[static_cast<int>(sample.failure)];
    non_2xx += Not2xx(sample);
    unexpected += sample.unexpected;
  }
  const int64_t measured_ns = result.measured_to_ns - result.measured_from_ns;
  duration_s = static_cast<double>(std::max<int64_t>(measured_ns, 0)) / 1e9;
  if (duration_s > 0) {
    offered_rate_per_s = static_cast<double>(measured) / duration_s;
    achieved_rate_per_s = static_cast<double>(answered_in_time) / duration_s;
  }
  lag_flagged = lag.QuantileNs(0.99) > kLagLimitNs;
  for (uint32_t spec = 0; spec < mix.requests.size(); ++spec) {
    requests.push_back(PartOf(result, mix.requests[spec].name,
                              [&](const Sample& s) { return s.spec == spec; }));
  }
  for (uint32_t server = 0; server < label.urls.size(); ++server) {
    servers.push_back(PartOf(result, label.urls[server], [&](const Sample& s) {
      return s.server == server;
    }));
  }
}

void WriteHgrm(const Distribution& latency, std::ostream& out) {
  // Five reports each time the distance to 100 % halves, as HdrHistogram does.
  constexpr double kTicksPerHalf = 5;
  char line[128];
  out << "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
  const double count = static_cast<double>(latency.count());
  double fraction = 0;
  while (latency.count() > 0) {
    const bool last = fraction >= 1 - 0.5 / count;
    const double at = last ? 1 : fraction;
    const double value_ms = static_cast<double>(latency.QuantileNs(at)) / 1e6;
    const auto below = static_cast<unsigned long long>(
        std::max(1.0, std::ceil(at * count - 1e-9 * count)));
    if (last) {
      std::snprintf(line, sizeof line, "%12.6f %14.12f %10llu\n", value_ms, 1.0,
                    below);
      out << line;
      break;
    }
    std::snprintf(line, sizeof line, "%12.6f %14.12f %10llu %14.2f\n", value_ms,
                  at, below, 1 / (1 - at));
    out << line;
    const double half =
        std::exp2(std::floor(std::log2(1 / (1 - fraction))) + 1);
    fraction += 1 / (kTicksPerHalf * half);
  }
  std::snprintf(line, sizeof line,
                "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n"
                "#[Max     = %12.6f, Total count    = %12llu]\n",
                latency.mean_ns() / 1e6, latency.deviation_ns() / 1e6,
                static_cast<double>(latency.max_ns()) / 1e6,
                static_cast<unsigned long long>(latency.count()));
  out << line;
}

void WriteSamples(const RunResult& result, const Mix& mix, std::ostream& out) {
  out << "index,name,intended_ns,sent_ns,first_byte_ns,end_ns,status,"
         "local_port,sent_realtime_ns,lag_ns,phase,error\n";
  std::string line;
  uint64_t index = 0;
  for (const Sample& s : result.samples) {
    line.clear();
    absl::StrAppend(&line, index++, ",", mix.requests[s.spec].name, ",",
                    s.intended_ns, ",");
    absl::StrAppend(&line, s.sent_ns, ",", s.first_byte_ns, ",", s.end_ns, ",");
    absl::StrAppend(&line, s.status, ",", s.local_port, ",",
                    s.sent_ns == 0 ? 0 : s.sent_ns + result.realtime_offset_ns,
                    ",");
    absl::StrAppend(&line, s.dispatched_ns - s.due_ns, ",",
                    s.warmup ? "warmup" : "measured", ",");
    if (s.failure != Failure::kNone) {
      absl::StrAppend(&line, FailureName(s.failure));
    } else if (s.unexpected) {
      absl::StrAppend(&line, "unexpected");
    }
    line += '\n';
    out << line;
  }
}

}  // namespace edgewise::load
