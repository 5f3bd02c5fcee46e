#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "recorder/stacks/stall_watch.h"

namespace edgewise {

// Follows events of the calling thread that run for `least_ns`: lines on
// stderr, and what onStall() was given is called.
std::unique_ptr<StallWatch> WatchStalls(int64_t least_ns, uint32_t thread);

// Adds to the addon's exports
//   onStall(fn)   fn({ms, route, function, script, line, column}) is called
//                 when an event that ran for too long is over, in an event of
//                 its own; null for what is not known. null: nothing is.
//   tellServing(holder)  holder.request is the HTTP request that began last
//   sample(periodNs)  the recording's stacks from now on; 0: none
void InstallStalls(Napi::Env env, Napi::Object exports);

}  // namespace edgewise
