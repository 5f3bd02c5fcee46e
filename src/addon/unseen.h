#pragma once

#include <napi.h>

namespace edgewise {

// runUnseen(source, file) -> what the script gives. It runs in a context of its
// own with a security token of its own: V8 shows and counts no frame of its
// functions in the stack trace of an error that another context makes. They
// cost what a call costs that V8 does not inline.
void InstallUnseen(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
