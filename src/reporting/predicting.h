#pragma once

#include <napi.h>

namespace edgewise {

// Exports whatif(dir, options) -> {done, progress(), cancel()}
// (whatif/whatif.h). done: a promise of the JSON text.
void InstallPredicting(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
