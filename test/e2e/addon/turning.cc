// An addon that turns the loop while one of its callbacks runs.

#include <node_api.h>
#include <uv.h>

#include <cstdint>

namespace {

struct Work {
  uv_work_t request;
  napi_env env;
  napi_ref callback;
  uint32_t milliseconds;
};

uv_loop_t* LoopOf(napi_env env) {
  uv_loop_t* loop;
  napi_get_uv_event_loop(env, &loop);
  return loop;
}

// queueWork(ms, callback)
napi_value QueueWork(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  Work* work = new Work{{}, env, nullptr, 0};
  napi_get_value_uint32(env, arguments[0], &work->milliseconds);
  napi_create_reference(env, arguments[1], 1, &work->callback);
  work->request.data = work;
  uv_queue_work(
      LoopOf(env), &work->request,
      [](uv_work_t* request) {
        uv_sleep(static_cast<Work*>(request->data)->milliseconds);
      },
      [](uv_work_t* request, int) {
        Work* done = static_cast<Work*>(request->data);
        napi_handle_scope scope;
        napi_open_handle_scope(done->env, &scope);
        napi_value callback, global;
        napi_get_reference_value(done->env, done->callback, &callback);
        napi_get_global(done->env, &global);
        napi_call_function(done->env, global, callback, 0, nullptr, nullptr);
        napi_delete_reference(done->env, done->callback);
        napi_close_handle_scope(done->env, scope);
        delete done;
      });
  return nullptr;
}

// turnLoop()
napi_value TurnLoop(napi_env env, napi_callback_info) {
  uv_run(LoopOf(env), UV_RUN_NOWAIT);
  return nullptr;
}

void Export(napi_env env, napi_value exports, const char* name,
            napi_callback callback) {
  napi_value function;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr,
                       &function);
  napi_set_named_property(env, exports, name, function);
}

}  // namespace

NAPI_MODULE_INIT() {
  Export(env, exports, "queueWork", QueueWork);
  Export(env, exports, "turnLoop", TurnLoop);
  return exports;
}
