#include "addon/unseen.h"

#include <v8.h>

#include "addon/local.h"

namespace edgewise {
namespace {

// A context is born with a token that no other has; Node gives all of its own
// the same one. It lives as long as its functions.
Napi::Value RunUnseen(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  const v8::Local<v8::Context> context = v8::Context::New(isolate);
  const v8::Context::Scope scope(context);
  v8::ScriptCompiler::Source source(
      ToLocal<v8::String>(info[0]),
#if V8_MAJOR_VERSION >= 12
      v8::ScriptOrigin(ToLocal<v8::String>(info[1]))
#else
      v8::ScriptOrigin(isolate, ToLocal<v8::String>(info[1]))
#endif
  );
  v8::Local<v8::Script> script;
  v8::Local<v8::Value> result;
  // An exception is pending otherwise.
  if (!v8::ScriptCompiler::Compile(context, &source).ToLocal(&script) ||
      !script->Run(context).ToLocal(&result)) {
    return env.Undefined();
  }
  return FromLocal(env, result);
}

}  // namespace

void InstallUnseen(Napi::Env env, Napi::Object exports) {
  exports.Set("runUnseen", Napi::Function::New(env, &RunUnseen));
}

}  // namespace edgewise
