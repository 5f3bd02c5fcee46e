#pragma once

#include <v8.h>

#include "absl/status/statusor.h"
#include "recorder/event_tracker.h"

namespace edgewise {

// Finds the live async-id fields of the current environment.
//
// Node gives addons the execution and trigger ids by a call each and the id
// counter not at all, though all three stand side by side in one array of
// doubles. This looks for a pointer to that array inside the Environment
// object, comparing with what the calls say, and has it proved by
// `next_async_id()`, which must return a fresh id (AsyncResource's): the
// counter has to show exactly that. Memory is read through the kernel, so a
// wrong guess cannot fault. Unavailable: nothing matched (an unknown Node).
absl::StatusOr<AsyncIds> FindAsyncIds(v8::Isolate* isolate,
                                      v8::Local<v8::Function> next_async_id);

}  // namespace edgewise
