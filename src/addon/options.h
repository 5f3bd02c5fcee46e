#pragma once

#include <napi.h>

#include <string>

namespace edgewise {

// Fields of an options object, as JavaScript has validated them. In a worker
// that is being ended they cannot be read any more, and are empty.

inline bool Readable(const Napi::Object& object) {
  return !object.Get("any").IsEmpty();
}

inline std::string Text(const Napi::Object& object, const char* key) {
  return object.Get(key).As<Napi::String>().Utf8Value();
}

inline double Number(const Napi::Object& object, const char* key) {
  return object.Get(key).As<Napi::Number>().DoubleValue();
}

}  // namespace edgewise
