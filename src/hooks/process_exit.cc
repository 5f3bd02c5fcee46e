#include "hooks/process_exit.h"

#include <node.h>
#include <v8.h>

namespace edgewise {
namespace {

// Leaked: it is called until the process is gone.
struct Registration {
  void (*callback)(void*);
  void* argument;
  v8::Isolate* isolate;
  node::Environment* environment;
  v8::Global<v8::Object> process;
};

// Node also calls back when the process sends a signal to itself, which it may
// survive.
bool IsExiting(const Registration& registration) {
  v8::Isolate* const isolate = registration.isolate;
  const v8::HandleScope scope(isolate);
  const v8::TryCatch failure(isolate);
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  v8::Local<v8::Value> exiting;
  // Where JavaScript cannot be asked any more it has ended.
  return context.IsEmpty() ||
         !registration.process.Get(isolate)
              ->Get(context,
                    v8::String::NewFromUtf8Literal(isolate, "_exiting"))
              .ToLocal(&exiting) ||
         exiting->BooleanValue(isolate);
}

void OnExit(void* self);

// Node forgets whom it has called.
void Register(v8::Isolate*, void* self) {
  auto* const registration = static_cast<Registration*>(self);
  node::AtExit(registration->environment, &OnExit, registration);
}

void OnExit(void* self) {
  auto* const registration = static_cast<Registration*>(self);
  if (IsExiting(*registration)) {
    registration->callback(registration->argument);
  } else {
    registration->isolate->RequestInterrupt(&Register, registration);
  }
}

}  // namespace

void AtProcessExit(void (*callback)(void*), void* argument) {
  v8::Isolate* const isolate = v8::Isolate::GetCurrent();
  const v8::HandleScope scope(isolate);
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  v8::Local<v8::Value> process;
  if (!context->Global()
           ->Get(context, v8::String::NewFromUtf8Literal(isolate, "process"))
           .ToLocal(&process) ||
      !process->IsObject()) {
    return;
  }
  auto* const registration = new Registration{
      callback, argument, isolate, node::GetCurrentEnvironment(context), {}};
  registration->process.Reset(isolate, process.As<v8::Object>());
  Register(isolate, registration);
}

}  // namespace edgewise
