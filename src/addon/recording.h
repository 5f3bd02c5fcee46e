#pragma once

#include <napi.h>

namespace edgewise {

// Exports what switches recording: start, stop, dump, stats, probe,
// internString, words and calls. Arguments are validated in JavaScript.
void InstallRecording(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
