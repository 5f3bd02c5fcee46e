#pragma once

#include <napi.h>

namespace edgewise {

// runUnseen(source, file) -> what the script gives. It runs as an extension of
// V8's in a context of its own: no stack trace of an error shows or counts
// frames of its functions. They cost what a call costs that V8 does not inline.
// The source is the same at each call, in ASCII.
void InstallUnseen(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
