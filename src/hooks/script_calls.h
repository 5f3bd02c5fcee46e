#pragma once

#include <v8.h>

namespace edgewise {

// Adds to `target` the functions that instrumented JavaScript calls while a
// thread records: plain V8 callbacks, a third of the price of Node-API ones.
// They do nothing while the thread does not record.
//
//   requestStart(kind) -> request id, or 0 when not recording
//   requestContext(request, traceparent)  what its caller says in that header
//   requestEnd(request, route, status, outcome)
//   requestEndWritten(request, route, status, fd)  finished, with the last
//                       write on that descriptor
//   requestEndAwaited(request, route, status, fd)  ... with the next write
//   requestEndLost(request)  which does not come, if it has not
//   slice(sequence, dueMs)  a continuation registered in that slice begins; if
//                       it has waited for a timer: when that was due
//   timerAfter(ms) -> when one that has just been set is due, by the loop's ms
//   sliceOfId()         the executing async id has changed
void InstallScriptCalls(v8::Isolate* isolate, v8::Local<v8::Object> target);

}  // namespace edgewise
