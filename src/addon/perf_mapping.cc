#include "addon/perf_mapping.h"

#include <v8.h>

#include "hooks/perf_map.h"
#include "napi/errors.h"

namespace edgewise {
namespace {

Napi::Value SwitchPerfMap(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  if (!info[0].ToBoolean()) {
    PerfMap::Stop(isolate);
    return env.Undefined();
  }
  const auto begun = PerfMap::Start(isolate);
  if (!begun.ok()) return Throw(env, begun.status());
  // A worker thread's machine ends before the process.
  env.AddCleanupHook([isolate] { PerfMap::Stop(isolate); });
  Napi::Object result = Napi::Object::New(env);
  result.Set("path", begun->path);
  result.Set("functions", static_cast<double>(begun->functions));
  result.Set("pause_ms", static_cast<double>(begun->pause_ns) / 1e6);
  return result;
}

}  // namespace

void InstallPerfMapping(Napi::Env env, Napi::Object exports) {
  exports.Set("perfMap", Napi::Function::New(env, &SwitchPerfMap));
}

}  // namespace edgewise
