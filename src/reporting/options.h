#pragma once

#include <napi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace edgewise {

// What a JavaScript object says, or the fallback.
inline double NumberOr(const Napi::Object& options, const char* key,
                       double fallback) {
  const Napi::Value value = options.Get(key);
  return value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : fallback;
}

// In units of the option's; what no integer holds is the nearest that is sure.
inline int64_t WholeOr(const Napi::Object& options, const char* key,
                       int64_t fallback, double units = 1) {
  constexpr double kMost = 9007199254740991;  // Number.MAX_SAFE_INTEGER
  const double value =
      units * NumberOr(options, key, static_cast<double>(fallback));
  return std::isnan(value)
             ? fallback
             : static_cast<int64_t>(std::clamp(value, -kMost, kMost));
}

inline std::string TextOr(const Napi::Object& options, const char* key) {
  const Napi::Value value = options.Get(key);
  return value.IsString() ? value.As<Napi::String>().Utf8Value() : "";
}

inline bool Is(const Napi::Object& options, const char* key) {
  const Napi::Value value = options.Get(key);
  return value.IsBoolean() && value.As<Napi::Boolean>().Value();
}

inline std::vector<std::string> TextsOf(const Napi::Value& value) {
  std::vector<std::string> texts;
  if (!value.IsArray()) return texts;
  const auto array = value.As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length(); ++i) {
    texts.push_back(array.Get(i).As<Napi::String>().Utf8Value());
  }
  return texts;
}

}  // namespace edgewise
