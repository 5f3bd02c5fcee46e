#include "hooks/script_calls.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hooks/stock_provider.h"
#include "recorder/event_tracker.h"
#include "trace/trace_context.h"

namespace edgewise {
namespace {

using Arguments = v8::FunctionCallbackInfo<v8::Value>;

uint32_t Uint32(const Arguments& args, int index) {
  const v8::Local<v8::Value> value = args[index];
  return value->IsUint32() ? value.As<v8::Uint32>()->Value() : 0;
}

int Descriptor(const Arguments& args, int index) {
  const v8::Local<v8::Value> value = args[index];
  return value->IsInt32() ? value.As<v8::Int32>()->Value() : -1;
}

void RequestStart(const Arguments& args) {
  EventTracker* const tracker = StockProvider::Tracker();
  const auto kind = static_cast<RequestKind>(Uint32(args, 0));
  args.GetReturnValue().Set(
      tracker != nullptr ? tracker->RequestStart(kind, Uint32(args, 1)) : 0);
}

// Empty: it is none.
std::string Text(const Arguments& args, int index) {
  if (!args[index]->IsString()) return "";
  const v8::String::Utf8Value text(args.GetIsolate(), args[index]);
  return *text == nullptr
             ? ""
             : std::string(*text, static_cast<size_t>(text.length()));
}

std::optional<TraceContext> CallersName(const Arguments& args) {
  return ParseCallersName(Text(args, 1), Text(args, 2));
}

// requestContext(request, traceparent, xRequestId)
void RequestContext(const Arguments& args) {
  EventTracker* const tracker = StockProvider::Tracker();
  if (tracker == nullptr) return;
  if (const auto context = CallersName(args); context.has_value()) {
    tracker->RequestContext(Uint32(args, 0), *context);
  }
}

// adopt(fd): of an accepted connection
void Adopt(const Arguments& args) { StockProvider::Adopt(Descriptor(args, 0)); }

// askedContext(fd, traceparent, xRequestId)
void AskedContext(const Arguments& args) {
  if (const auto context = CallersName(args); context.has_value()) {
    StockProvider::NoteAskedContext(Descriptor(args, 0), *context);
  }
}

void RequestEnd(const Arguments& args) {
  EventTracker* const tracker = StockProvider::Tracker();
  if (tracker == nullptr) return;
  StockProvider::NoteLatency(
      tracker->RequestEnd(Uint32(args, 0), Uint32(args, 1), Uint32(args, 2),
                          static_cast<Outcome>(Uint32(args, 3))));
}

void RequestEndWritten(const Arguments& args) {
  EventTracker* const tracker = StockProvider::Tracker();
  if (tracker == nullptr) return;
  StockProvider::NoteLatency(tracker->RequestEndWritten(
      Uint32(args, 0), Uint32(args, 1), Uint32(args, 2), Descriptor(args, 3)));
}

void RequestEndAwaited(const Arguments& args) {
  EventTracker* const tracker = StockProvider::Tracker();
  if (tracker == nullptr) return;
  StockProvider::NoteLatency(tracker->RequestEndAwaited(
      Uint32(args, 0), Uint32(args, 1), Uint32(args, 2), Descriptor(args, 3)));
}

void RequestEndLost(const Arguments& args) {
  EventTracker* const tracker = StockProvider::Tracker();
  if (tracker != nullptr) tracker->RequestEndLost(Uint32(args, 0));
}

// slice(sequence, dueMs): of a timer's promise, when it was due.
void Slice(const Arguments& args) {
  EventTracker* const tracker = StockProvider::Tracker();
  if (tracker == nullptr) return;
  StockProvider::EnterContinuation();
  const v8::Local<v8::Value> due_ms = args[1];
  tracker->SliceFromPromise(
      Uint32(args, 0),
      due_ms->IsNumber()
          ? static_cast<int64_t>(due_ms.As<v8::Number>()->Value()) * 1'000'000
          : -1);
}

// timerAfter(ms): when a timer that has just been set is due.
void TimerAfter(const Arguments& args) {
  if (StockProvider::Tracker() == nullptr || !args[0]->IsNumber()) return;
  args.GetReturnValue().Set(StockProvider::LoopMs() +
                            args[0].As<v8::Number>()->Value());
}

// sliceOfId(dueMs): of a timer, when it was due by Node's clock.
void SliceOfId(const Arguments& args) {
  EventTracker* const tracker = StockProvider::Tracker();
  if (tracker == nullptr) return;
  const v8::Local<v8::Value> due_ms = args[0];
  tracker->SliceFromAsyncId(
      due_ms->IsNumber()
          ? StockProvider::TimerDueNs(due_ms.As<v8::Number>()->Value())
          : -1);
}

// timerClock(nowMs): what Node's clock for timers has just said.
void TimerClock(const Arguments& args) {
  if (StockProvider::Tracker() == nullptr || !args[0]->IsNumber()) return;
  StockProvider::SetTimerClock(args[0].As<v8::Number>()->Value());
}

// process(asyncId, fd, program): of a child process, or of a pipe to it.
void Process(const Arguments& args) {
  if (StockProvider::Tracker() == nullptr || !args[0]->IsNumber()) return;
  const v8::String::Utf8Value program(args.GetIsolate(), args[2]);
  if (*program == nullptr) return;
  StockProvider::NoteProcess(
      static_cast<uint64_t>(args[0].As<v8::Number>()->Value()),
      Descriptor(args, 1), {*program, static_cast<size_t>(program.length())});
}

// A method and a path of HTTP.
template <typename Note>
void WithMethodAndPath(const Arguments& args, Note note) {
  if (StockProvider::Tracker() == nullptr || !args[1]->IsString() ||
      !args[2]->IsString()) {
    return;
  }
  const v8::String::Utf8Value method(args.GetIsolate(), args[1]);
  const v8::String::Utf8Value path(args.GetIsolate(), args[2]);
  if (*method == nullptr || *path == nullptr) return;
  note(std::string_view(*method, static_cast<size_t>(method.length())),
       std::string_view(*path, static_cast<size_t>(path.length())));
}

// https(fd, method, path)
void Https(const Arguments& args) {
  WithMethodAndPath(args, [&](std::string_view method, std::string_view path) {
    StockProvider::NoteHttps(Descriptor(args, 0), method, path);
  });
}

// waits(wait)
void Waits(const Arguments& args) {
  if (StockProvider::Tracker() == nullptr) return;
  StockProvider::NoteWaits(Uint32(args, 0));
}

// askedFor(fd, wait)
void AskedFor(const Arguments& args) {
  StockProvider::NoteAskedFor(Descriptor(args, 0), Uint32(args, 1));
}

// stream(fd, method, path, grpc, number, asyncId, wait): the id is 0 if it is
// not known, and the wait's number if it has not waited.
void Stream(const Arguments& args) {
  WithMethodAndPath(args, [&](std::string_view method, std::string_view path) {
    const uint64_t id =
        args[5]->IsNumber()
            ? static_cast<uint64_t>(args[5].As<v8::Number>()->Value())
            : 0;
    StockProvider::NoteStream(
        Descriptor(args, 0), method, path, args[3]->IsTrue(),
        {.number = Uint32(args, 4), .id = id, .wait = Uint32(args, 6)});
  });
}

void Install(v8::Isolate* isolate, v8::Local<v8::Object> target,
             const char* name, v8::FunctionCallback call) {
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  const v8::Local<v8::String> key =
      v8::String::NewFromUtf8(isolate, name).ToLocalChecked();
  target->Set(context, key, v8::Function::New(context, call).ToLocalChecked())
      .Check();
}

}  // namespace

void InstallScriptCalls(v8::Isolate* isolate, v8::Local<v8::Object> target) {
  Install(isolate, target, "requestStart", &RequestStart);
  Install(isolate, target, "requestContext", &RequestContext);
  Install(isolate, target, "requestEnd", &RequestEnd);
  Install(isolate, target, "requestEndWritten", &RequestEndWritten);
  Install(isolate, target, "requestEndAwaited", &RequestEndAwaited);
  Install(isolate, target, "requestEndLost", &RequestEndLost);
  Install(isolate, target, "slice", &Slice);
  Install(isolate, target, "timerAfter", &TimerAfter);
  Install(isolate, target, "sliceOfId", &SliceOfId);
  Install(isolate, target, "timerClock", &TimerClock);
  Install(isolate, target, "process", &Process);
  Install(isolate, target, "https", &Https);
  Install(isolate, target, "stream", &Stream);
  Install(isolate, target, "waits", &Waits);
  Install(isolate, target, "askedFor", &AskedFor);
  Install(isolate, target, "askedContext", &AskedContext);
  Install(isolate, target, "adopt", &Adopt);
}

}  // namespace edgewise
