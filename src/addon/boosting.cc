#include "addon/boosting.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "addon/options.h"
#include "boost/controller_stats.h"
#include "hooks/boost_provider.h"
#include "napi/errors.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

BoostConfig ReadBoostConfig(const Napi::Object& options) {
  BoostConfig config;
  config.policies = Text(options, "policies");
  config.policy.queue_factor = Number(options, "queueFactor");
  config.policy.head_factor = Number(options, "headFactor");
  config.policy.target_ns = static_cast<int64_t>(Number(options, "targetNs"));
  config.policy.percentile = Number(options, "percentile");
  config.policy.tail_routes = Numbers(options, "tailRoutes");
  config.actuator.name = Text(options, "actuator");
  const std::vector<uint32_t> khz = Numbers(options, "frequenciesKhz");
  std::copy_n(khz.begin(), std::min(khz.size(), kLevels),
              config.actuator.frequencies.begin());
  config.actuator.loop_tid = ThreadId();
  config.actuator.emulated_delay_ns =
      static_cast<int64_t>(Number(options, "delayNs"));
  config.actuator.shared_domain = Text(options, "domain");
  config.actuator.guardian_program = Text(options, "guardian");
  config.actuator.daemon_socket = Text(options, "socket");
  config.stats_stem = Text(options, "statsStem");
  return config;
}

// boostStart({policies, queueFactor, headFactor, targetNs, percentile,
//   tailRoutes, actuator, frequenciesKhz, delayNs, domain, guardian, socket,
//   statsStem}) -> {queue: true or why not}.
Napi::Value StartBoost(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto options = info[0].As<Napi::Object>();
  BoostConfig config = ReadBoostConfig(options);
  if (!Readable(options)) return env.Undefined();
  BoostProvider* const provider = BoostProvider::ForThread();
  const absl::Status status = provider->Start(std::move(config));
  if (!status.ok()) return Throw(env, status);
  Napi::Object found = Napi::Object::New(env);
  found.Set("queue", TrueOrReason(env, provider->queue_status()));
  return found;
}

Napi::Value StopBoost(const Napi::CallbackInfo& info) {
  BoostProvider::ForThread()->Stop();
  return info.Env().Undefined();
}

// boostStats() -> JSON text (ControllerStats), null when it does not boost.
Napi::Value StatsBoost(const Napi::CallbackInfo& info) {
  Controller* const controller = BoostProvider::ForThread()->controller();
  if (controller == nullptr) return info.Env().Null();
  return Napi::String::New(info.Env(), ToJson(controller->stats()));
}

// boostRequestBegin(route) -> the request's number.
Napi::Value RequestBegin(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(),
                           BoostProvider::ForThread()->RequestBegin(
                               info[0].As<Napi::Number>().Uint32Value()));
}

Napi::Value RequestEnd(const Napi::CallbackInfo& info) {
  BoostProvider::ForThread()->RequestEnd(
      info[0].As<Napi::Number>().Uint32Value());
  return info.Env().Undefined();
}

// boostProbe({guardian, socket}) -> {NAME: {available, reason}}: each actuator
// of real hardware, made and given back.
Napi::Value ProbeBoost(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto options = info[0].As<Napi::Object>();
  ActuatorConfig config;
  config.loop_tid = ThreadId();
  config.guardian_program = Text(options, "guardian");
  config.daemon_socket = Text(options, "socket");
  Napi::Object result = Napi::Object::New(env);
  for (const char* const name : {"daemon", "cpufreq", "epp", "uclamp"}) {
    config.name = name;
    const auto actuator = MakeActuator(config);
    Napi::Object answer = Napi::Object::New(env);
    answer.Set("available", actuator.ok());
    answer.Set("reason", actuator.ok()
                             ? (*actuator)->description()
                             : std::string(actuator.status().message()));
    result.Set(name, answer);
  }
  return result;
}

Napi::Array Names(Napi::Env env, const std::vector<std::string_view>& names) {
  Napi::Array array = Napi::Array::New(env, names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    array.Set(static_cast<uint32_t>(i), std::string(names[i]));
  }
  return array;
}

}  // namespace

void InstallBoosting(Napi::Env env, Napi::Object exports) {
  exports.Set("boostStart", Napi::Function::New(env, &StartBoost));
  exports.Set("boostStop", Napi::Function::New(env, &StopBoost));
  exports.Set("boostStats", Napi::Function::New(env, &StatsBoost));
  exports.Set("boostRequestBegin", Napi::Function::New(env, &RequestBegin));
  exports.Set("boostRequestEnd", Napi::Function::New(env, &RequestEnd));
  exports.Set("boostProbe", Napi::Function::New(env, &ProbeBoost));
  exports.Set("boostPolicies", Names(env, PolicyNames()));
  exports.Set("boostActuators", Names(env, ActuatorNames()));
}

}  // namespace edgewise
