#pragma once

#include <napi.h>

namespace edgewise {

// Exports what boosts: boostStart, boostStop, boostStats, boostRequestBegin,
// boostRequestEnd, boostProbe, and the names that are allowed. Arguments are
// validated in JavaScript.
void InstallBoosting(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
