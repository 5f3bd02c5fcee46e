#pragma once

#include <napi.h>

#include "analysis/stream/progress.h"

namespace edgewise {

// Queues a worker that has Done() and Progress(); returns {done, progress(),
// cancel()}.
template <typename Worker>
Napi::Object StartWatched(Napi::Env env, Worker* worker) {
  Napi::Object work = Napi::Object::New(env);
  work.Set("done", worker->Done());
  work.Set("progress",
           Napi::Function::New(env, [progress = worker->Progress()](
                                        const Napi::CallbackInfo& call) {
             return Napi::Number::New(call.Env(), progress->Share());
           }));
  work.Set("cancel",
           Napi::Function::New(env, [progress = worker->Progress()](
                                        const Napi::CallbackInfo& /*call*/) {
             progress->Cancel();
           }));
  worker->Queue();
  return work;
}

}  // namespace edgewise
