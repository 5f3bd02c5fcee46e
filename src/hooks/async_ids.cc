#include "hooks/async_ids.h"

#include <malloc.h>
#include <node.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "platform/own_memory.h"

namespace edgewise {
namespace {

// The Environment is one heap object of a few kilobytes.
constexpr size_t kMaxEnvironmentBytes = 64 << 10;

using Fields = std::array<double, 4>;

bool CallForId(v8::Local<v8::Context> context, v8::Local<v8::Function> function,
               double* id) {
  v8::Local<v8::Value> value;
  return function
             ->Call(context, v8::Undefined(context->GetIsolate()), 0, nullptr)
             .ToLocal(&value) &&
         value->NumberValue(context).To(id);
}

}  // namespace

absl::StatusOr<AsyncIds> FindAsyncIds(v8::Isolate* isolate,
                                      v8::Local<v8::Function> next_async_id) {
  const v8::HandleScope scope(isolate);
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  void* const environment = node::GetCurrentEnvironment(context);
  if (environment == nullptr) {
    return absl::UnavailableError("no Node environment on this thread");
  }
  const size_t bytes =
      std::min(malloc_usable_size(environment), kMaxEnvironmentBytes);
  std::vector<const void*> words(bytes / sizeof(void*));
  if (OwnMemoryWay() == nullptr) {
    return absl::UnavailableError(
        "the kernel lets this process look at its own memory neither by "
        "process_vm_readv, nor by /proc/self/mem, nor by a pipe");
  }
  if (!ReadOwnMemory(environment, words.data(), words.size() * sizeof(void*))) {
    return absl::UnavailableError("the environment cannot be read");
  }
  double first_id = 0;
  if (!CallForId(context, next_async_id, &first_id)) {
    return absl::UnavailableError("no fresh async id to compare with");
  }
  const double execution = node::AsyncHooksGetExecutionAsyncId(isolate);
  const double trigger = node::AsyncHooksGetTriggerAsyncId(isolate);
  std::vector<const double*> candidates;
  for (const void* word : words) {
    const auto address = reinterpret_cast<uintptr_t>(word);
    if (address < 4096 || address % alignof(double) != 0) continue;
    Fields fields;
    if (!ReadOwnMemory(word, &fields, sizeof(fields))) continue;
    if (fields[0] == execution && fields[1] == trigger &&
        fields[2] == first_id) {
      candidates.push_back(static_cast<const double*>(word));
    }
  }
  double second_id = 0;
  if (!CallForId(context, next_async_id, &second_id) || second_id == first_id) {
    return absl::UnavailableError("no fresh async id to compare with");
  }
  for (const double* candidate : candidates) {
    if (candidate[2] == second_id) return AsyncIds{candidate};
  }
  return absl::UnavailableError(
      "this Node keeps its async ids where they could not be found");
}

}  // namespace edgewise
