// Gives test programs what the patched Node gives an addon: the C API of
// hooks/event_api.h, looked up as the product does it. Built against stock
// headers.

#include <dlfcn.h>
#include <node_api.h>
#include <v8.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hooks/event_api.h"

namespace {

template <typename Function>
Function* Find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// One notification of the hooks.
struct Notice {
  const char* what;
  double async_id;
  double last_async_id;
  uint32_t event;
};

// Of one thread's environment.
struct State {
  EdgewiseWords* words = nullptr;
  EdgewiseHooks hooks = {};
  std::vector<Notice> notices;
  bool continues = false;
};

thread_local State state;

void Note(const char* what, double async_id, double last_async_id) {
  state.notices.push_back(
      {what, async_id, last_async_id, edgewise_current(state.words)});
}

// As the product does it: a new event begins, and parts of it are events too.
void BeginEvent(void*, double async_id, double last_async_id) {
  if (!state.continues) {
    edgewise_set_current(state.words, edgewise_next_id(state.words));
  }
  Note("begin", async_id, last_async_id);
}

void EndEvent(void*, double last_async_id, int continues) {
  Note(continues ? "pause" : "end", 0, last_async_id);
  state.continues = continues != 0;
  if (!continues) edgewise_set_current(state.words, 0);
}

void BeginPart(void*, double async_id, double last_async_id) {
  edgewise_set_current(state.words, edgewise_next_id(state.words));
  Note("begin part", async_id, last_async_id);
}

void EndPart(void*, double async_id, double last_async_id) {
  Note("end part", async_id, last_async_id);
}

napi_value Number(napi_env env, double number) {
  napi_value value;
  napi_create_double(env, number, &value);
  return value;
}

napi_value Text(napi_env env, const char* text) {
  napi_value value;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  return value;
}

napi_value Object(
    napi_env env,
    const std::vector<std::pair<const char*, napi_value>>& properties) {
  napi_value object;
  napi_create_object(env, &object);
  for (const auto& [name, value] : properties) {
    napi_set_named_property(env, object, name, value);
  }
  return object;
}

template <typename Item, typename Convert>
napi_value Array(napi_env env, const std::vector<Item>& items,
                 Convert convert) {
  napi_value array;
  napi_create_array_with_length(env, items.size(), &array);
  for (size_t i = 0; i < items.size(); ++i) {
    napi_set_element(env, array, i, convert(items[i]));
  }
  return array;
}

double Argument(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value value;
  double number = 0;
  napi_get_cb_info(env, info, &count, &value, nullptr, nullptr);
  napi_get_value_double(env, value, &number);
  return number;
}

napi_value Version(napi_env env, napi_callback_info) {
  auto* version = Find<decltype(edgewise_abi_version)>("edgewise_abi_version");
  return Number(env, version == nullptr ? 0 : version());
}

// enable(flags): 0 or a negative errno.
napi_value Enable(napi_env env, napi_callback_info info) {
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  int error = Find<decltype(edgewise_enable)>("edgewise_enable")(
      isolate, static_cast<uint32_t>(Argument(env, info)), 1 << 16, 1 << 12);
  state.words = Find<decltype(edgewise_words)>("edgewise_words")(isolate);
  return Number(env, error);
}

napi_value Disable(napi_env, napi_callback_info) {
  Find<decltype(edgewise_disable)>("edgewise_disable")(
      v8::Isolate::GetCurrent());
  return nullptr;
}

// Hears of events, and of their parts.
napi_value Listen(napi_env, napi_callback_info) {
  state.hooks = {BeginEvent, EndEvent, BeginPart, EndPart, {}};
  state.words->hooks = &state.hooks;
  Find<decltype(edgewise_watch_parts)>("edgewise_watch_parts")(
      v8::Isolate::GetCurrent(), 1);
  return nullptr;
}

napi_value TakeNotices(napi_env env, napi_callback_info) {
  std::vector<Notice> notices = std::move(state.notices);
  state.notices.clear();
  return Array(env, notices, [env](const Notice& notice) {
    return Object(env, {{"what", Text(env, notice.what)},
                        {"asyncId", Number(env, notice.async_id)},
                        {"lastAsyncId", Number(env, notice.last_async_id)},
                        {"event", Number(env, notice.event)}});
  });
}

napi_value Current(napi_env env, napi_callback_info) {
  return Number(env, edgewise_current(state.words));
}

napi_value TakeEdges(napi_env env, napi_callback_info) {
  std::vector<EdgewiseEdge> edges(1 << 16);
  edges.resize(Find<decltype(edgewise_take_edges)>("edgewise_take_edges")(
      state.words->tracker, edges.data(), edges.size()));
  return Array(env, edges, [env](const EdgewiseEdge& edge) {
    return Object(env, {{"src", Number(env, edge.src)},
                        {"dst", Number(env, edge.dst)},
                        {"kind", Number(env, edge.kind)},
                        {"ticks", Number(env, edge.ticks)}});
  });
}

napi_value TakePauses(napi_env env, napi_callback_info) {
  std::vector<EdgewisePause> pauses(1 << 12);
  pauses.resize(Find<decltype(edgewise_take_pauses)>("edgewise_take_pauses")(
      state.words->tracker, pauses.data(), pauses.size()));
  return Array(env, pauses, [env](const EdgewisePause& pause) {
    return Object(env, {{"begin", Number(env, pause.begin_ticks)},
                        {"end", Number(env, pause.end_ticks)},
                        {"safepoint", Number(env, pause.safepoint_ticks)},
                        {"bucket", Number(env, pause.bucket)},
                        {"collector", Number(env, pause.collector)},
                        {"reason", Number(env, pause.reason)}});
  });
}

// The ticks now, and of all buckets, the open one's until now.
napi_value ReadTimes(napi_env env, napi_callback_info) {
  uint64_t now = Find<decltype(edgewise_ticks)>("edgewise_ticks")();
  edgewise_settle_misses(state.words);
  std::vector<uint64_t> ticks(state.words->buckets,
                              state.words->buckets + EDGEWISE_BUCKETS);
  ticks[state.words->bucket] += now - state.words->bucket_since;
  return Object(env, {{"now", Number(env, now)},
                      {"open", Number(env, state.words->bucket)},
                      {"buckets", Array(env, ticks, [env](uint64_t each) {
                         return Number(env, each);
                       })}});
}

napi_value Init(napi_env env, napi_value exports) {
  const std::pair<const char*, napi_callback> kFunctions[] = {
      {"version", Version},         {"enable", Enable},
      {"disable", Disable},         {"listen", Listen},
      {"takeNotices", TakeNotices}, {"current", Current},
      {"takeEdges", TakeEdges},     {"takePauses", TakePauses},
      {"readTimes", ReadTimes}};
  for (const auto& [name, function] : kFunctions) {
    napi_value value;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr,
                         &value);
    napi_set_named_property(env, exports, name, value);
  }
  return exports;
}

}  // namespace

NAPI_MODULE_INIT() { return Init(env, exports); }
