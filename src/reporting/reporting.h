#pragma once

#include <napi.h>

namespace edgewise {

// Exports (analysis/report.h):
//   report(dir, {percentile, route, request, process, thread, requestsPath,
//                slowest, skip}) -> JSON text. skip: seconds.
//   analyse(dir, options) -> {done, progress(), cancel()}: the same beside the
//     event loop. done: a promise of the JSON text; progress(): 0 to 1.
void InstallReporting(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
