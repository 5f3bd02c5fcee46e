#include "load/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace edgewise::load {
namespace {

using Json = nlohmann::ordered_json;

// null when there is nothing to describe: zeros would read as fast.
Json DistributionJson(const Distribution& distribution) {
  if (distribution.count() == 0) return nullptr;
  return {{"mean", static_cast<int64_t>(distribution.mean_ns())},
          {"p50", distribution.QuantileNs(0.5)},
          {"p90", distribution.QuantileNs(0.9)},
          {"p99", distribution.QuantileNs(0.99)},
          {"p99.9", distribution.QuantileNs(0.999)},
          {"max", distribution.max_ns()}};
}

Json ErrorsJson(const Summary& summary) {
  Json errors = Json::object();
  for (int i = 1; i < kFailures; ++i) {
    if (summary.by_failure[i] == 0) continue;
    errors[std::string(FailureName(static_cast<Failure>(i)))] =
        summary.by_failure[i];
  }
  return errors;
}

Json PartsJson(const char* named, const std::vector<Summary::Part>& parts) {
  Json json = Json::array();
  for (const Summary::Part& part : parts) {
    json.push_back({{named, part.name},
                    {"count", part.count},
                    {"errors", part.errors},
                    {"non_2xx", part.non_2xx},
                    {"unexpected", part.unexpected},
                    {"latency_ns", DistributionJson(part.intended)}});
  }
  return json;
}

std::string Row(absl::string_view name, const Distribution& distribution) {
  if (distribution.count() == 0)
    return absl::StrFormat("  %-22s %9s\n", name, "-");
  const auto ms = [&](double fraction) {
    return static_cast<double>(distribution.QuantileNs(fraction)) / 1e6;
  };
  return absl::StrFormat("  %-22s %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f\n", name,
                         distribution.mean_ns() / 1e6, ms(0.5), ms(0.9),
                         ms(0.99), ms(0.999), ms(1));
}

// One part is the whole.
std::string PartRows(const std::vector<Summary::Part>& parts) {
  std::string rows;
  for (const Summary::Part& part : parts) {
    if (parts.size() < 2) break;
    absl::StrAppend(&rows, Row(absl::StrCat("  ", part.name), part.intended));
  }
  return rows;
}

std::string HowAsked(const RunLabel& label) {
  if (label.closed) {
    return absl::StrFormat("closed loop, %d connections", label.connections);
  }
  return absl::StrFormat("open loop, Poisson arrivals, %g/s", label.rate_per_s);
}

}  // namespace

std::string SummaryJson(const RunLabel& label, const RunResult& result,
                        const Summary& summary) {
  Json json = {
      {"schema", 1},
      {"mode", label.closed ? "closed" : "open"},
      {"url", label.urls.front()},
      {"mix", label.mix_name.empty() ? Json() : Json(label.mix_name)},
      {"rate_per_s", label.closed ? Json() : Json(label.rate_per_s)},
      {"connections_asked", label.closed ? Json(label.connections) : Json()},
      {"seed", label.seed},
      {"duration_s", summary.duration_s},
      {"clock",
       {{"start_monotonic_ns", result.start_ns},
        {"measured_from_monotonic_ns", result.measured_from_ns},
        {"measured_to_monotonic_ns", result.measured_to_ns},
        {"realtime_minus_monotonic_ns", result.realtime_offset_ns}}},
      {"sent_total", summary.sent_total},
      {"answered_total", summary.answered_total},
      {"count", summary.count},
      {"errors", summary.errors},
      {"errors_by_kind", ErrorsJson(summary)},
      {"errors_warmup", summary.errors_warmup},
      {"first_error",
       result.first_error.empty() ? Json() : Json(result.first_error)},
      {"non_2xx", summary.non_2xx},
      {"unexpected", summary.unexpected},
      {"offered_rate_per_s", summary.offered_rate_per_s},
      {"achieved_rate_per_s", summary.achieved_rate_per_s},
      {"connections",
       {{"opened", result.connections_opened},
        {"peak", result.connections_peak}}},
      {"latency_ns",
       {{"intended", DistributionJson(summary.intended)},
        {"actual", DistributionJson(summary.actual)}}},
      {"lag_ns", DistributionJson(summary.lag)},
      {"lag_flagged", summary.lag_flagged},
      {"interrupted", result.interrupted_by != 0},
  };
  json["requests"] = PartsJson("name", summary.requests);
  json["servers"] = PartsJson("url", summary.servers);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string SummaryText(const RunLabel& label, const RunResult& result,
                        const Summary& summary) {
  std::string out = absl::StrFormat(
      "%s, %s, %.1f s measured\n"
      "  %d responses (%.1f/s offered, %.1f/s achieved), %d errors, %d "
      "non-2xx, "
      "%d unexpected\n",
      absl::StrJoin(label.urls, " "), HowAsked(label), summary.duration_s,
      summary.count, summary.offered_rate_per_s, summary.achieved_rate_per_s,
      summary.errors, summary.non_2xx, summary.unexpected);
  for (int i = 1; i < kFailures; ++i) {
    if (summary.by_failure[i] == 0) continue;
    absl::StrAppendFormat(&out, "  errors: %d %s\n", summary.by_failure[i],
                          FailureName(static_cast<Failure>(i)));
  }
  if (!result.first_error.empty()) {
    absl::StrAppend(&out, "  first error: ", result.first_error, "\n");
  }
  absl::StrAppendFormat(&out, "  %d connections opened, %d at once\n\n",
                        result.connections_opened, result.connections_peak);
  absl::StrAppendFormat(&out, "  %-22s %9s %9s %9s %9s %9s %9s\n",
                        "latency, ms", "mean", "p50", "p90", "p99", "p99.9",
                        "max");
  absl::StrAppend(&out, Row("from intended send", summary.intended),
                  Row("from actual send", summary.actual),
                  PartRows(summary.requests), PartRows(summary.servers));
  if (!label.closed) {
    absl::StrAppend(&out, Row("generator's own lag", summary.lag));
  }
  if (summary.lag_flagged) {
    absl::StrAppendFormat(
        &out,
        "  FLAGGED: the generator's lag is above %d ms at p99: it lacked the "
        "processor;\n  the latencies contain its own delay. Lower the rate or "
        "free a core.\n",
        kLagLimitNs / 1'000'000);
  }
  if (result.interrupted_by != 0) {
    absl::StrAppend(&out, "  interrupted by signal ", result.interrupted_by,
                    " before its end\n");
  }
  return out;
}

}  // namespace edgewise::load
