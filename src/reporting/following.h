#pragma once

#include <napi.h>

namespace edgewise {

// Exports liveMetrics() -> {follow(file), read(), stop()}
// (live/live_metrics.h). follow() throws where the file cannot be read; read()
// returns JSON. They end with the thread's environment.
void InstallFollowing(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
