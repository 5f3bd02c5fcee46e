#include "addon/unseen.h"

#include <v8-extension.h>
#include <v8.h>

#include <memory>
#include <mutex>
#include <string>

#include "addon/local.h"

namespace edgewise {
namespace {

// What an extension of V8's leaves in its context.
constexpr char kResult[] = "edgewiseUnseen";

// v8::RegisterExtension() by the name that it has in Node.js, which is built
// with libstdc++; what is compiled with another library names it otherwise. A
// std::unique_ptr is one pointer in all of them, and is given by its address.
void RegisterExtension(std::unique_ptr<v8::Extension>* extension) __asm__(
    "_ZN2v817RegisterExtensionESt10unique_ptrINS_9ExtensionESt14default_"
    "deleteIS1_EE");

// The name under which V8 has `source` as an extension: the same for all
// threads, and for good, as V8 keeps pointers into both texts.
const char* RegisterOnce(const std::string& source, const std::string& file) {
  static std::once_flag once;
  static const std::string* name = nullptr;
  std::call_once(once, [&] {
    name = new std::string(file);
    const auto* const text =
        new std::string("var " + std::string(kResult) + " = " + source);
    auto extension =
        std::make_unique<v8::Extension>(name->c_str(), text->c_str());
    RegisterExtension(&extension);
  });
  return name->c_str();
}

// For V8 functions of an extension are not the user's: stack traces leave them
// out. (Those of a context with another security token they leave out as well,
// but not from V8 12 on.) The context lives as long as its functions.
Napi::Value RunUnseen(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  const char* name = RegisterOnce(info[0].As<Napi::String>().Utf8Value(),
                                  info[1].As<Napi::String>().Utf8Value());
  v8::ExtensionConfiguration extensions(1, &name);
  const v8::Local<v8::Context> context = v8::Context::New(isolate, &extensions);
  if (context.IsEmpty()) return env.Undefined();
  const v8::Context::Scope scope(context);
  v8::Local<v8::String> key;
  v8::Local<v8::Value> result;
  if (!v8::String::NewFromUtf8(isolate, kResult).ToLocal(&key) ||
      !context->Global()->Get(context, key).ToLocal(&result)) {
    return env.Undefined();
  }
  return FromLocal(env, result);
}

}  // namespace

void InstallUnseen(Napi::Env env, Napi::Object exports) {
  exports.Set("runUnseen", Napi::Function::New(env, &RunUnseen));
}

}  // namespace edgewise
