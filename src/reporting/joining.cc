#include "reporting/joining.h"

#include <string>
#include <utility>

#include "across/across.h"
#include "reporting/options.h"
#include "reporting/watched_work.h"
#include "reporting/watched_worker.h"

namespace edgewise {
namespace {

AcrossOptions AcrossOptionsOf(const Napi::Object& given) {
  AcrossOptions options;
  options.directories = TextsOf(given.Get("directories"));
  options.percentile = NumberOr(given, "percentile", options.percentile);
  options.left_out = TextsOf(given.Get("excludeRoute"));
  options.skip_ns = WholeOr(given, "skip", 0, 1e9);
  options.slowest = WholeOr(given, "slowest", options.slowest);
  options.scratch = TextsOf(given.Get("scratch"));
  return options;
}

class JoiningWork : public WatchedWorker {
 public:
  JoiningWork(Napi::Env env, AcrossOptions options)
      : WatchedWorker(env, "edgewise.across"), options_(std::move(options)) {}

 protected:
  absl::StatusOr<std::string> Work(AnalysisProgress* progress) override {
    options_.progress = progress;
    return BuildAcross(options_);
  }

 private:
  AcrossOptions options_;
};

Napi::Value JoinTraces(const Napi::CallbackInfo& info) {
  return StartWatched(
      info.Env(),
      new JoiningWork(info.Env(), AcrossOptionsOf(info[0].As<Napi::Object>())));
}

}  // namespace

void InstallJoining(Napi::Env env, Napi::Object exports) {
  exports.Set("across", Napi::Function::New(env, &JoinTraces));
}

}  // namespace edgewise
