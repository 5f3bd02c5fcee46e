#pragma once

#include <napi.h>

namespace edgewise {

// Exports report(dir, options) -> JSON text (analysis/report.h).
void InstallReporting(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
