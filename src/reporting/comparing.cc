#include "reporting/comparing.h"

#include <string>
#include <string_view>
#include <utility>

#include "compare/compare.h"
#include "reporting/options.h"
#include "reporting/watched_work.h"
#include "reporting/watched_worker.h"

namespace edgewise {
namespace {

// As lib/cli/compare.js names them, in the order of SplitBy.
constexpr std::string_view kSplits[] = {"", "process", "worker", "minute",
                                        "node"};

TraceComparison ComparisonOf(const Napi::Object& given) {
  TraceComparison asked;
  asked.a = TextsOf(given.Get("a"));
  asked.b = TextsOf(given.Get("b"));
  asked.same = TextsOf(given.Get("same"));
  const std::string by = TextOr(given, "by");
  for (size_t i = 0; i < std::size(kSplits); ++i) {
    if (kSplits[i] == by) asked.by = static_cast<SplitBy>(i);
  }
  asked.routes.only = TextOr(given, "route");
  asked.routes.left_out = TextsOf(given.Get("excludeRoute"));
  asked.skip_ns = WholeOr(given, "skip", asked.skip_ns / 1'000'000'000, 1e9);
  asked.resamples =
      static_cast<uint32_t>(WholeOr(given, "resamples", asked.resamples));
  asked.seed = static_cast<uint64_t>(WholeOr(given, "seed", 1));
  asked.block_ns = NumberOr(given, "blockNs", 0);
  asked.always = Is(given, "always");
  return asked;
}

class ComparingWork : public WatchedWorker {
 public:
  ComparingWork(Napi::Env env, TraceComparison asked)
      : WatchedWorker(env, "edgewise.compare"), asked_(std::move(asked)) {}

 protected:
  absl::StatusOr<std::string> Work(AnalysisProgress* progress) override {
    asked_.progress = progress;
    return BuildComparison(asked_);
  }

 private:
  TraceComparison asked_;
};

Napi::Value CompareTraces(const Napi::CallbackInfo& info) {
  return StartWatched(
      info.Env(),
      new ComparingWork(info.Env(), ComparisonOf(info[0].As<Napi::Object>())));
}

}  // namespace

void InstallComparing(Napi::Env env, Napi::Object exports) {
  exports.Set("compare", Napi::Function::New(env, &CompareTraces));
}

}  // namespace edgewise
