#pragma once

#include <napi.h>

#include <string>

namespace edgewise {

// Fields of an options object, as JavaScript has validated them.

inline std::string Text(const Napi::Object& object, const char* key) {
  return object.Get(key).As<Napi::String>().Utf8Value();
}

inline double Number(const Napi::Object& object, const char* key) {
  return object.Get(key).As<Napi::Number>().DoubleValue();
}

}  // namespace edgewise
