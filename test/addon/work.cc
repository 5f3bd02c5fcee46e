// An addon as many are written: it works on libuv's thread pool and calls back
// with napi_call_function, without an async resource. Nothing of Node knows
// for whom. It can turn the loop itself, too, as those do that wait.

#include <node_api.h>
#include <uv.h>

#include <cstdint>

namespace {

struct Work {
  uv_work_t request;
  napi_env env;
  napi_ref callback;
  uint32_t milliseconds;
  uint64_t worked_ns;  // uv_hrtime() at its end
};

napi_value Number(napi_env env, double number) {
  napi_value value;
  napi_create_double(env, number, &value);
  return value;
}

uv_loop_t* LoopOf(napi_env env) {
  uv_loop_t* loop;
  napi_get_uv_event_loop(env, &loop);
  return loop;
}

// On a thread of the pool.
void Sleep(uv_work_t* request) {
  Work* work = static_cast<Work*>(request->data);
  uv_sleep(work->milliseconds);
  work->worked_ns = uv_hrtime();
}

// On the loop's thread.
void CallBack(uv_work_t* request, int) {
  Work* work = static_cast<Work*>(request->data);
  napi_env env = work->env;
  napi_handle_scope scope;
  napi_open_handle_scope(env, &scope);
  // A patched libuv notes there when the pool has finished.
  double finished = reinterpret_cast<uintptr_t>(request->reserved[0]);
  napi_value arguments[] = {Number(env, static_cast<double>(work->worked_ns)),
                            Number(env, finished),
                            Number(env, static_cast<double>(uv_hrtime()))};
  napi_value callback, global;
  napi_get_reference_value(env, work->callback, &callback);
  napi_get_global(env, &global);
  napi_call_function(env, global, callback, 3, arguments, nullptr);
  napi_delete_reference(env, work->callback);
  napi_close_handle_scope(env, scope);
  delete work;
}

// queueWork(ms, callback(worked, finished, now)): ns of uv_hrtime().
napi_value QueueWork(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  uint32_t milliseconds = 0;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  napi_get_value_uint32(env, arguments[0], &milliseconds);
  Work* work = new Work{{}, env, nullptr, milliseconds, 0};
  work->request.data = work;
  napi_create_reference(env, arguments[1], 1, &work->callback);
  uv_queue_work(LoopOf(env), &work->request, Sleep, CallBack);
  return nullptr;
}

// turnLoop(): once, without waiting.
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
