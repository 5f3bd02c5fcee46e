#pragma once

#include <napi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace edgewise {

// Fields of an options object, as JavaScript has validated them. In a worker
// that is being ended none can be read any more from some instant on: what
// Get() returns has no environment, and nothing may be asked of it.

// Whether all fields that were read until now were there.
inline bool Readable(const Napi::Object& object) {
  return !object.Get("any").IsEmpty();
}

inline std::string Text(const Napi::Object& object, const char* key) {
  const Napi::Value value = object.Get(key);
  return value.IsEmpty() ? "" : value.As<Napi::String>().Utf8Value();
}

inline double Number(const Napi::Object& object, const char* key) {
  const Napi::Value value = object.Get(key);
  return value.IsEmpty() ? 0 : value.As<Napi::Number>().DoubleValue();
}

inline std::vector<uint32_t> Numbers(const Napi::Object& object,
                                     const char* key) {
  std::vector<uint32_t> numbers;
  const Napi::Value value = object.Get(key);
  if (value.IsEmpty()) return numbers;
  const auto array = value.As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value number = array.Get(i);
    if (number.IsEmpty()) break;
    numbers.push_back(number.As<Napi::Number>().Uint32Value());
  }
  return numbers;
}

}  // namespace edgewise
