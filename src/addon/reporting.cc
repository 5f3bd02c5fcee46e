#include "addon/reporting.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

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

bool Is(const Napi::Object& options, const char* key) {
  const Napi::Value value = options.Get(key);
  return value.IsBoolean() && value.As<Napi::Boolean>().Value();
}

ReportOptions OptionsOf(const Napi::Object& given) {
  ReportOptions options;
  options.percentile = NumberOr(given, "percentile", options.percentile);
  options.route = TextOr(given, "route");
  options.request = WholeOr(given, "request", -1);
  options.process = WholeOr(given, "process", -1);
  options.thread = WholeOr(given, "thread", -1);
  options.skip_ns = WholeOr(given, "skip", 0, 1e9);
  options.requests_path = TextOr(given, "requestsPath");
  options.stacks = Is(given, "stacks");
  options.slowest = WholeOr(given, "slowest", options.slowest);
  return options;
}

Napi::Value Report(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const absl::StatusOr<std::string> json =
      BuildReport(info[0].As<Napi::String>().Utf8Value(),
                  OptionsOf(info[1].As<Napi::Object>()));
  if (!json.ok()) return Throw(env, json.status());
  return Napi::String::New(env, *json);
}

// An analysis on a thread of the pool; deletes itself when it is over.
class Analysing : public Napi::AsyncWorker {
 public:
  // `with_columns`: it is done with {json, columns} and not with the JSON.
  Analysing(Napi::Env env, std::string dir, ReportOptions options,
            bool with_columns)
      : Napi::AsyncWorker(env, "edgewise.report"),
        done_(env),
        dir_(std::move(dir)),
        options_(std::move(options)) {
    options_.progress = progress_.get();
    if (with_columns) options_.columns = &columns_;
  }

  Napi::Promise Done() const { return done_.Promise(); }
  std::shared_ptr<AnalysisProgress> Progress() const { return progress_; }

 protected:
  void Execute() override { json_ = BuildReport(dir_, options_); }
  void OnOK() override {
    // Also if it was over before it could end early.
    absl::Status status = progress_->status();
    if (!status.ok()) json_ = std::move(status);
    if (!json_.ok()) {
      done_.Reject(ErrorOf(Env(), json_.status()).Value());
      return;
    }
    const Napi::String json = Napi::String::New(Env(), *json_);
    if (options_.columns == nullptr) {
      done_.Resolve(json);
      return;
    }
    Napi::Object both = Napi::Object::New(Env());
    both.Set("json", json);
    both.Set("columns",
             Napi::Buffer<char>::Copy(Env(), columns_.data(), columns_.size()));
    done_.Resolve(both);
  }

 private:
  const Napi::Promise::Deferred done_;
  const std::string dir_;
  ReportOptions options_;
  const std::shared_ptr<AnalysisProgress> progress_ =
      std::make_shared<AnalysisProgress>();
  absl::StatusOr<std::string> json_;
  std::string columns_;
};

Napi::Value Analyse(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto* const worker =
      new Analysing(env, info[0].As<Napi::String>().Utf8Value(),
                    OptionsOf(info[1].As<Napi::Object>()),
                    Is(info[1].As<Napi::Object>(), "columns"));
  Napi::Object analysis = Napi::Object::New(env);
  analysis.Set("done", worker->Done());
  analysis.Set("progress",
               Napi::Function::New(env, [progress = worker->Progress()](
                                            const Napi::CallbackInfo& call) {
                 return Napi::Number::New(call.Env(), progress->Share());
               }));
  analysis.Set("cancel", Napi::Function::New(
                             env, [progress = worker->Progress()](
                                      const Napi::CallbackInfo& /*call*/) {
                               progress->Cancel();
                             }));
  worker->Queue();
  return analysis;
}

}  // namespace

void InstallReporting(Napi::Env env, Napi::Object exports) {
  exports.Set("report", Napi::Function::New(env, &Report));
  exports.Set("analyse", Napi::Function::New(env, &Analyse));
}

}  // namespace edgewise
