#include "addon/reporting.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "addon/errors.h"
#include "analysis/report.h"

namespace edgewise {
namespace {

double NumberOr(const Napi::Object& options, const char* key, double fallback) {
  const Napi::Value value = options.Get(key);
  return value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : fallback;
}

// In units of the option's; what no integer holds is the nearest that is sure.
int64_t WholeOr(const Napi::Object& options, const char* key, int64_t fallback,
                double units = 1) {
  constexpr double kMost = 9007199254740991;  // Number.MAX_SAFE_INTEGER
  const double value =
      units * NumberOr(options, key, static_cast<double>(fallback));
  return std::isnan(value)
             ? fallback
             : static_cast<int64_t>(std::clamp(value, -kMost, kMost));
}

std::string TextOr(const Napi::Object& options, const char* key) {
  const Napi::Value value = options.Get(key);
  return value.IsString() ? value.As<Napi::String>().Utf8Value() : "";
}

// report(dir, {percentile, route, request, process, thread, requestsPath,
//              slowest, skip}) -> JSON text. skip: seconds.
Napi::Value Report(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto given = info[1].As<Napi::Object>();
  ReportOptions options;
  options.percentile = NumberOr(given, "percentile", options.percentile);
  options.route = TextOr(given, "route");
  options.request = WholeOr(given, "request", -1);
  options.process = WholeOr(given, "process", -1);
  options.thread = WholeOr(given, "thread", -1);
  options.skip_ns = WholeOr(given, "skip", 0, 1e9);
  options.requests_path = TextOr(given, "requestsPath");
  options.slowest = WholeOr(given, "slowest", options.slowest);
  const absl::StatusOr<std::string> json =
      BuildReport(info[0].As<Napi::String>().Utf8Value(), options);
  if (!json.ok()) return Throw(env, json.status());
  return Napi::String::New(env, *json);
}

}  // namespace

void InstallReporting(Napi::Env env, Napi::Object exports) {
  exports.Set("report", Napi::Function::New(env, &Report));
}

}  // namespace edgewise
