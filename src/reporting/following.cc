#include "reporting/following.h"

#include <memory>

#include "live/live_metrics.h"
#include "napi/errors.h"

namespace edgewise {
namespace {

Napi::Value NewLiveMetrics(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const auto metrics = std::make_shared<LiveMetrics>();
  env.AddCleanupHook([metrics] { metrics->Stop(); });
  Napi::Object live = Napi::Object::New(env);
  live.Set("follow",
           Napi::Function::New(env, [metrics](const Napi::CallbackInfo& call) {
             const absl::Status status =
                 metrics->Follow(call[0].As<Napi::String>().Utf8Value());
             return status.ok() ? call.Env().Undefined()
                                : Throw(call.Env(), status);
           }));
  live.Set("read",
           Napi::Function::New(env, [metrics](const Napi::CallbackInfo& call) {
             return Napi::String::New(call.Env(), metrics->Json());
           }));
  live.Set("stop", Napi::Function::New(
                       env, [metrics](const Napi::CallbackInfo& /*call*/) {
                         metrics->Stop();
                       }));
  return live;
}

}  // namespace

void InstallFollowing(Napi::Env env, Napi::Object exports) {
  exports.Set("liveMetrics", Napi::Function::New(env, &NewLiveMetrics));
}

}  // namespace edgewise
