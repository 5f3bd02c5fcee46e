#include "addon/stalls.h"

#include <unistd.h>

#include <mutex>
#include <string>
#include <utility>

#include "addon/local.h"
#include "hooks/stock_provider.h"
#include "napi/errors.h"

namespace edgewise {
namespace {

// Who is told by one thread's helper, which may outlive the listening.
class Listener {
 public:
  void Listen(const Napi::ThreadSafeFunction& function) {
    const std::lock_guard lock(mutex_);
    if (function_) function_.Abort();
    function_ = function;
  }

  // Any thread.
  void Tell(const Stall& stall) {
    const std::lock_guard lock(mutex_);
    if (!function_) return;
    auto copy = std::make_unique<Stall>(stall);
    if (function_.NonBlockingCall(copy.get(), &Call) == napi_ok) {
      (void)copy.release();  // It is Call()'s.
    }
  }

 private:
  static void Call(Napi::Env env, Napi::Function function, Stall* told) {
    const std::unique_ptr<Stall> stall(told);
    if (env == nullptr || function.IsEmpty()) return;  // It ends.
    const StallPlace& place = stall->place;
    const auto text = [env](const std::string& found) {
      return found.empty() ? env.Null() : Napi::String::New(env, found);
    };
    const auto number = [env](uint32_t found) {
      return found == 0 ? env.Null() : Napi::Number::New(env, found);
    };
    Napi::Object event = Napi::Object::New(env);
    event.Set("ms", static_cast<double>(stall->ns) / 1e6);
    event.Set("route", text(place.route));
    event.Set("function", text(place.function));
    event.Set("script", text(place.script));
    event.Set("line", number(place.line));
    event.Set("column", number(place.column));
    function.Call({event});
  }

  std::mutex mutex_;
  Napi::ThreadSafeFunction function_;
};

std::shared_ptr<Listener>& ListenerOfThread() {
  thread_local auto listener = std::make_shared<Listener>();
  return listener;
}

void EndWithEnvironment(Napi::Env env) {
  thread_local bool ends = false;
  if (std::exchange(ends, true)) return;
  env.AddCleanupHook([listener = ListenerOfThread()] { listener->Listen({}); });
}

Napi::Value OnStall(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::ThreadSafeFunction function;
  if (info[0].IsFunction()) {
    function = Napi::ThreadSafeFunction::New(
        env, info[0].As<Napi::Function>(), "edgewise-stall",
        /*maxQueueSize=*/16, /*initialThreadCount=*/1);
    function.Unref(env);
    EndWithEnvironment(env);
  }
  ListenerOfThread()->Listen(function);
  return env.Undefined();
}

Napi::Value TellServing(const Napi::CallbackInfo& info) {
  StockProvider* const provider = StockProvider::ForThread();
  if (provider->recording()) {
    provider->TellServing(ToLocal<v8::Object>(info[0]));
  }
  return info.Env().Undefined();
}

Napi::Value Sample(const Napi::CallbackInfo& info) {
  StockProvider* const provider = StockProvider::ForThread();
  if (!provider->recording()) return info.Env().Undefined();
  const absl::Status status =
      provider->Sample(info[0].As<Napi::Number>().Int64Value());
  return status.ok() ? info.Env().Undefined() : Throw(info.Env(), status);
}
}  // namespace

std::unique_ptr<StallWatch> WatchStalls(int64_t least_ns, uint32_t thread) {
  return std::make_unique<StallWatch>(
      least_ns, thread,
      [](const std::string& line) {
        // Where stderr is gone there is nobody to tell.
        (void)!write(STDERR_FILENO, line.data(), line.size());
      },
      [listener = ListenerOfThread()](const Stall& stall) {
        listener->Tell(stall);
      });
}

void InstallStalls(Napi::Env env, Napi::Object exports) {
  exports.Set("onStall", Napi::Function::New(env, &OnStall));
  exports.Set("tellServing", Napi::Function::New(env, &TellServing));
  exports.Set("sample", Napi::Function::New(env, &Sample));
}

}  // namespace edgewise
