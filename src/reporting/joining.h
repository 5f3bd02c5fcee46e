#pragma once

#include <napi.h>

namespace edgewise {

// Exports across({directories, ...}) -> {done, progress(), cancel()}
// (across/across.h). done: a promise of the JSON text.
void InstallJoining(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
