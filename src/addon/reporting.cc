#include "addon/reporting.h"

#include <string>

#include "addon/errors.h"
#include "analysis/report.h"

namespace edgewise {
namespace {

double NumberOr(const Napi::Object& options, const char* key, double fallback) {
  const Napi::Value value = options.Get(key);
  return value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : fallback;
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
  options.request = static_cast<int64_t>(NumberOr(given, "request", -1));
  options.process = static_cast<int>(NumberOr(given, "process", -1));
  options.thread = static_cast<int>(NumberOr(given, "thread", -1));
  options.skip_ns = static_cast<int64_t>(NumberOr(given, "skip", 0) * 1e9);
  options.requests_path = TextOr(given, "requestsPath");
  options.slowest =
      static_cast<int>(NumberOr(given, "slowest", options.slowest));
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
