// Switches the patched Node's tracking on and off, without a recorder: each
// callback of Node's is an event, and the edges are thrown away. In a stock
// Node nothing happens.

#include <dlfcn.h>
#include <node_api.h>
#include <v8.h>

#include <array>
#include <cstdint>

#include "hooks/event_api.h"

namespace {

constexpr uint32_t kRingRecords = 1 << 14;

template <typename Function>
Function* Find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// Of one thread's environment.
struct Tracking {
  decltype(edgewise_take_edges)* take_edges = nullptr;
  decltype(edgewise_take_pauses)* take_pauses = nullptr;
  EdgewiseWords* words = nullptr;  // null: not tracking
  EdgewiseHooks hooks = {};
  bool continues = false;  // the open event goes on in the next scope
  std::array<EdgewiseEdge, 64> edges;
  std::array<EdgewisePause, 16> pauses;
};

// initial-exec: an access is one instruction, not a call.
[[gnu::tls_model("initial-exec")]] thread_local Tracking* current = nullptr;

void NextEvent() {
  Tracking& tracking = *current;
  EdgewiseTracker* tracker = tracking.words->tracker;
  while (tracking.take_edges(tracker, tracking.edges.data(),
                             tracking.edges.size()) == tracking.edges.size()) {
  }
  tracking.take_pauses(tracker, tracking.pauses.data(), tracking.pauses.size());
  edgewise_set_current(tracking.words, edgewise_next_id(tracking.words));
}

void BeginEvent(void*, double, double) {
  if (!current->continues) NextEvent();
}

void EndEvent(void*, double, int continues) {
  Tracking& tracking = *current;
  tracking.continues = continues != 0;
  if (!tracking.continues) edgewise_set_current(tracking.words, 0);
}

// on(): whether this Node can, and does.
napi_value On(napi_env env, napi_callback_info) {
  Tracking& tracking = *current;
  auto* enable = Find<decltype(edgewise_enable)>("edgewise_enable");
  if (enable != nullptr && tracking.words == nullptr) {
    v8::Isolate* isolate = v8::Isolate::GetCurrent();
    const uint32_t all = EDGEWISE_EDGES | EDGEWISE_TIMES | EDGEWISE_PAUSES;
    if (enable(isolate, all, kRingRecords, kRingRecords) == 0) {
      tracking.take_edges =
          Find<decltype(edgewise_take_edges)>("edgewise_take_edges");
      tracking.take_pauses =
          Find<decltype(edgewise_take_pauses)>("edgewise_take_pauses");
      tracking.words =
          Find<decltype(edgewise_words)>("edgewise_words")(isolate);
      tracking.hooks.event_begin = BeginEvent;
      tracking.hooks.event_end = EndEvent;
      tracking.words->hooks = &tracking.hooks;
      tracking.continues = false;
      NextEvent();
    }
  }
  napi_value tracks;
  napi_get_boolean(env, tracking.words != nullptr, &tracks);
  return tracks;
}

napi_value Off(napi_env, napi_callback_info) {
  if (current->words == nullptr) return nullptr;
  Find<decltype(edgewise_disable)>("edgewise_disable")(
      v8::Isolate::GetCurrent());
  current->words = nullptr;
  return nullptr;
}

// A worker's addon may be unloaded before its isolate ends.
void Forget(void*) {
  Off(nullptr, nullptr);
  delete current;
  current = nullptr;
}

// Another event begins here.
napi_value Event(napi_env, napi_callback_info) {
  if (current->words != nullptr) NextEvent();
  return nullptr;
}

}  // namespace

NAPI_MODULE_INIT() {
  current = new Tracking;
  napi_add_env_cleanup_hook(env, Forget, nullptr);
  const std::array<napi_property_descriptor, 3> functions = {{
      {"on", nullptr, On, nullptr, nullptr, nullptr, napi_default, nullptr},
      {"off", nullptr, Off, nullptr, nullptr, nullptr, napi_default, nullptr},
      {"event", nullptr, Event, nullptr, nullptr, nullptr, napi_default,
       nullptr},
  }};
  napi_define_properties(env, exports, functions.size(), functions.data());
  return exports;
}
