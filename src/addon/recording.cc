#include "addon/recording.h"

#include <node.h>
#include <sched.h>
#include <unistd.h>
#include <v8.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "addon/local.h"
#include "addon/options.h"
#include "addon/stalls.h"
#include "hooks/arrival.h"
#include "hooks/async_ids.h"
#include "hooks/patched_v8.h"
#include "hooks/pool_jobs.h"
#include "hooks/script_calls.h"
#include "hooks/stock_provider.h"
#include "napi/errors.h"
#include "platform/clock.h"
#include "platform/native_look.h"
#include "platform/process_identity.h"

namespace edgewise {
namespace {

ProviderConfig ReadConfig(const Napi::Object& options) {
  ProviderConfig config;
  config.recorder.path = Text(options, "path");
  config.recorder.mode = Text(options, "mode") == "flight"
                             ? RecordingMode::kFlight
                             : RecordingMode::kStream;
  config.recorder.max_bytes =
      static_cast<uint64_t>(Number(options, "maxBytes"));
  config.recorder.ring_records =
      static_cast<size_t>(Number(options, "ringRecords"));
  config.recorder.process = static_cast<uint32_t>(Number(options, "process"));
  config.recorder.thread = static_cast<uint32_t>(Number(options, "thread"));
  config.watcher_interval_ns =
      static_cast<int64_t>(Number(options, "watcherNs"));
  config.slo_ns = static_cast<int64_t>(Number(options, "sloNs"));
  config.stack_period_ns = static_cast<int64_t>(Number(options, "stackNs"));
  config.burst = Burst(static_cast<uint64_t>(Number(options, "burst")));
  const auto stall_ns = static_cast<int64_t>(Number(options, "stallNs"));
  if (stall_ns > 0) {
    config.stalls = WatchStalls(stall_ns, config.recorder.thread);
  }
  config.own_scripts = Text(options, "ownScripts");
  config.whole_paths = Number(options, "wholePaths") != 0;
  return config;
}

// One answer of probe(): {name, available, reason}.
Napi::Object Answer(Napi::Env env, const char* name, const absl::Status& status,
                    const std::string& meaning) {
  Napi::Object answer = Napi::Object::New(env);
  answer.Set("name", name);
  answer.Set("available", status.ok());
  answer.Set("reason", status.ok() ? meaning : std::string(status.message()));
  return answer;
}

Napi::Object NotRunning(Napi::Env env) {
  const auto off_cpu = OffCpu::Start();
  const bool sums = off_cpu.ok() && !(*off_cpu)->switches().ok();
  return Answer(
      env, "not running", off_cpu.status(),
      sums ? absl::StrCat(
                 "for how long the thread was preempted, throttled or blocked, "
                 "and not when within an event (",
                 (*off_cpu)->switches().message(), ")")
           : "when the thread was preempted, throttled or blocked");
}

// probe(nextAsyncId) -> what was tried in this process: plain facts, and
// {name, available, reason} for what may be missing.
Napi::Value Probe(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const absl::Status ids =
      FindAsyncIds(v8::Isolate::GetCurrent(), ToLocal<v8::Function>(info[0]))
          .status();
  const absl::Status watcher = ReadyWatcher::Start(1'000'000, nullptr).status();
  Napi::Object result = Napi::Object::New(env);
  const absl::Status patched = PatchedV8::Find();
  result.Set("provider", patched.ok() ? "patched" : "stock");
  result.Set("ticks", std::string(TickSource()));
  result.Set("asyncIds",
             Answer(env, "async ids", ids, "who registered an event is known"));
  result.Set(
      "interposition",
      Answer(env, "system calls of the loop", StockProvider::CanInterpose(),
             "which descriptor an event is for is known"));
  result.Set("arrivals",
             Answer(env, "stamps of arrival", CanStampArrivals(),
                    "the kernel says when a request's bytes arrived"));
  result.Set("pool", Answer(env, "the thread pool's queue", PoolJobs::CanSee(),
                            "when a thread takes work up and has done it"));
  result.Set("watcher",
             Answer(env, "ready-time watcher", watcher,
                    "true ready times of what the kernel does not stamp"));
  result.Set("offCpu", NotRunning(env));
  result.Set("gc", Answer(env, "garbage collections", absl::OkStatus(),
                          patched.ok() ? "every pause, step and sweep"
                                       : "pauses by type; incremental steps "
                                         "are not seen"));
  result.Set("edges",
             Answer(env, "dependencies of functions", patched,
                    "V8 tells which event made a function that is called"));
  result.Set("jit", Answer(env, "JIT and inline-cache time", patched,
                           "V8 measures it, exclusive of collections"));
  return result;
}

// Whether there is to be a watcher: true; false: none is asked for; or why
// there cannot be one, and the recording does without.
Napi::Value WatcherOf(Napi::Env env, ProviderConfig* config) {
  if (config->watcher_interval_ns == 0) return Napi::Boolean::New(env, false);
  const absl::Status status = ReadyWatcher::CanWatch();
  if (!status.ok()) config->watcher_interval_ns = 0;
  return TrueOrReason(env, status);
}

// Whether it is seen when the thread does not run: true; false: it is not asked
// for; or why it cannot be. `switches`: the same of each time by itself.
Napi::Value OffCpuOf(Napi::Env env, bool wanted, ProviderConfig* config,
                     Napi::Value* switches) {
  *switches = Napi::Boolean::New(env, false);
  if (!wanted) return *switches;
  absl::Status status =
      StockProvider::CanInterpose();  // Sleep is told from it.
  if (!status.ok()) return TrueOrReason(env, status);
  absl::StatusOr<std::unique_ptr<OffCpu>> off_cpu = OffCpu::Start();
  status = off_cpu.status();
  if (status.ok()) {
    config->off_cpu = *std::move(off_cpu);
    *switches = TrueOrReason(env, config->off_cpu->switches());
  }
  return TrueOrReason(env, status);
}

// What the process may have of the machine's processors: {quotas: [{quota_us,
// period_us}], processors, online, and shares or weight}.
Napi::Value LimitsOf(Napi::Env env) {
  const CpuQuota quota = CpuQuota::Find();
  Napi::Array quotas = Napi::Array::New(env);
  for (const CpuQuota::Limit& limit : quota.limits()) {
    Napi::Object each = Napi::Object::New(env);
    each.Set("quota_us", static_cast<double>(limit.quota_us));
    each.Set("period_us", static_cast<double>(limit.period_us));
    quotas.Set(quotas.Length(), each);
  }
  Napi::Object limits = Napi::Object::New(env);
  limits.Set("quotas", quotas);
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    limits.Set("processors", CPU_COUNT(&allowed));
  }
  limits.Set("online", static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)));
  if (quota.share().has_value()) {
    limits.Set(quota.share()->name, static_cast<double>(quota.share()->value));
  }
  return limits;
}

// Where JavaScript is not told of the end: process.reallyExit(), or after
// process.removeAllListeners(). It need not be the end: Node calls this as well
// before the process sends itself a signal, which it may live through.
void WriteAtExit(void*) {
  if (StockProvider::Tracker() == nullptr) return;
  StockProvider::ForThread()->recorder()->Dump().IgnoreError();
}

void CallAtExit() {
  thread_local bool called = false;
  if (std::exchange(called, true)) return;
  node::AtExit(node::GetCurrentEnvironment(
                   v8::Isolate::GetCurrent()->GetCurrentContext()),
               &WriteAtExit, nullptr);
}

// start({path, mode, maxBytes, ringRecords, process, thread, watcherNs, sloNs,
//        wholePaths, offCpu, stackNs, stallNs, ownScripts, nextAsyncId,
//        farewell, describe}) ->
//        {patched, asyncIds, interposition, arrivals, pool, watcher, offCpu,
//        switches, nativeCode}: true or why not; and limits. watcher, offCpu:
//        false where none is asked for. patched: null where V8 is not.
// describe(result) returns the trace's meta JSON. farewell: what is said if the
// process ends meanwhile, after what was lost; null: nothing.
Napi::Value Start(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto options = info[0].As<Napi::Object>();
  ProviderConfig config = ReadConfig(options);
  const Napi::Value next_async_id = options.Get("nextAsyncId");
  if (next_async_id.IsEmpty()) return env.Undefined();
  const absl::StatusOr<AsyncIds> ids = FindAsyncIds(
      v8::Isolate::GetCurrent(), ToLocal<v8::Function>(next_async_id));
  if (ids.ok()) config.ids = *ids;
  StockProvider* const provider = StockProvider::ForThread();
  Napi::Object found = Napi::Object::New(env);
  const absl::Status patched = PatchedV8::Find();
  found.Set("patched", absl::IsNotFound(patched) ? env.Null()
                                                 : TrueOrReason(env, patched));
  found.Set("asyncIds", TrueOrReason(env, ids.status()));
  found.Set("interposition", TrueOrReason(env, StockProvider::CanInterpose()));
  found.Set("arrivals", TrueOrReason(env, CanStampArrivals()));
  found.Set("pool", TrueOrReason(env, PoolJobs::CanSee()));
  found.Set("watcher", WatcherOf(env, &config));
  Napi::Value switches;
  found.Set("offCpu",
            OffCpuOf(env, Number(options, "offCpu") != 0, &config, &switches));
  found.Set("switches", switches);
  found.Set("limits", LimitsOf(env));
  if (config.stack_period_ns > 0) {
    const NativeLook look([](void*, const NativeLook::Registers&) {}, nullptr);
    found.Set("nativeCode", TrueOrReason(env, look.status()));
  }
  const Napi::Value describe = options.Get("describe");
  if (describe.IsEmpty()) return env.Undefined();
  const Napi::Value meta = describe.As<Napi::Function>().Call({found});
  if (meta.IsEmpty()) return env.Undefined();
  config.recorder.meta_json = meta.As<Napi::String>().Utf8Value();
  const absl::Status status = provider->Start(std::move(config));
  if (!status.ok()) return Throw(env, status);
  CallAtExit();
  const Napi::Value farewell = options.Get("farewell");
  if (farewell.IsString()) {
    provider->SayAtEnd(farewell.As<Napi::String>().Utf8Value());
  }
  return found;
}

Napi::Value Stop(const Napi::CallbackInfo& info) {
  StockProvider::ForThread()->Stop();
  return info.Env().Undefined();
}

Napi::Value Dump(const Napi::CallbackInfo& info) {
  StockProvider* const provider = StockProvider::ForThread();
  const absl::Status status =
      provider->recording() ? provider->recorder()->Dump()
                            : absl::FailedPreconditionError("not recording");
  return status.ok() ? info.Env().Undefined() : Throw(info.Env(), status);
}

// stats() -> {dropped, lostBytes, writtenBytes, watcherCpuNs}, or null when
// the thread does not record.
Napi::Value Stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  StockProvider* const provider = StockProvider::ForThread();
  if (!provider->recording()) return env.Null();
  const RecorderStats stats = provider->recorder()->stats();
  Napi::Object result = Napi::Object::New(env);
  result.Set("dropped", static_cast<double>(stats.dropped));
  result.Set("lostBytes", static_cast<double>(stats.lost_bytes));
  result.Set("writtenBytes", static_cast<double>(stats.written_bytes));
  const ReadyWatcher* const watcher = provider->watcher();
  result.Set("watcherCpuNs",
             watcher != nullptr ? static_cast<double>(watcher->CpuNs()) : 0.0);
  return result;
}

Napi::Value InternString(const Napi::CallbackInfo& info) {
  StockProvider* const provider = StockProvider::ForThread();
  const uint32_t id = provider->recording()
                          ? provider->recorder()->InternString(
                                info[0].As<Napi::String>().Utf8Value())
                          : 0;
  return Napi::Number::New(info.Env(), id);
}

// words() -> the ArrayBuffer of this thread's SharedWords; its memory lives as
// long as the environment.
Napi::Value Words(const Napi::CallbackInfo& info) {
  static_assert(offsetof(SharedWords, begun_request) == sizeof(double));
  static_assert(sizeof(SharedWords) == 5 * sizeof(double));
  return Napi::ArrayBuffer::New(info.Env(), StockProvider::ForThread()->words(),
                                sizeof(SharedWords));
}

}  // namespace

void InstallRecording(Napi::Env env, Napi::Object exports) {
  exports.Set("start", Napi::Function::New(env, &Start));
  exports.Set("probe", Napi::Function::New(env, &Probe));
  exports.Set("stop", Napi::Function::New(env, &Stop));
  exports.Set("dump", Napi::Function::New(env, &Dump));
  exports.Set("stats", Napi::Function::New(env, &Stats));
  exports.Set("internString", Napi::Function::New(env, &InternString));
  exports.Set("words", Napi::Function::New(env, &Words));
  exports.Set("tickSource", std::string(TickSource()));
  exports.Set("processIdentity", ProcessIdentity());
  Napi::Object calls = Napi::Object::New(env);
  InstallScriptCalls(v8::Isolate::GetCurrent(), ToLocal<v8::Object>(calls));
  exports.Set("calls", calls);
}

}  // namespace edgewise
