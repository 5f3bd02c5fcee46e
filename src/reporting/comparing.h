#pragma once

#include <napi.h>

namespace edgewise {

// Exports compare(options) -> {done, progress(), cancel()} (compare/compare.h).
// done: a promise of the JSON text.
void InstallComparing(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
