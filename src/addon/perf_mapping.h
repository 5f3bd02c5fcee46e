#pragma once

#include <napi.h>

namespace edgewise {

// perfMap(on): names of JavaScript's machine code for perf (PerfMap). Returns
// {path, functions, pause_ms} where it has begun.
void InstallPerfMapping(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
