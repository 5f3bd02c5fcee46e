#pragma once

#include <napi.h>
#include <v8.h>

#include <cstring>

namespace edgewise {

// napi_value is a v8::Local by another name, in every Node.
template <typename T>
v8::Local<T> ToLocal(napi_value value) {
  v8::Local<v8::Value> local;
  static_assert(sizeof(local) == sizeof(value));
  std::memcpy(static_cast<void*>(&local), &value, sizeof(value));
  return local.As<T>();
}

inline Napi::Value FromLocal(Napi::Env env, v8::Local<v8::Value> local) {
  napi_value value;
  std::memcpy(static_cast<void*>(&value), &local, sizeof(value));
  return Napi::Value(env, value);
}

}  // namespace edgewise
