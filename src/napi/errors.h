#pragma once

#include <napi.h>

#include <string>

#include "absl/status/status.h"

namespace edgewise {

// `status` as a JavaScript Error whose `code` names the status code
// ('NOT_FOUND', 'INVALID_ARGUMENT', ...).
inline Napi::Error ErrorOf(Napi::Env env, const absl::Status& status) {
  Napi::Error error = Napi::Error::New(env, std::string(status.message()));
  error.Set("code", absl::StatusCodeToString(status.code()));
  return error;
}

inline Napi::Value Throw(Napi::Env env, const absl::Status& status) {
  ErrorOf(env, status).ThrowAsJavaScriptException();
  return env.Undefined();
}

// true, or the reason why not.
inline Napi::Value TrueOrReason(Napi::Env env, const absl::Status& status) {
  if (status.ok()) return Napi::Boolean::New(env, true);
  return Napi::String::New(env, std::string(status.message()));
}

}  // namespace edgewise
