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

bool CallForId(v8::Isolate* isolate, v8::Local<v8::Context> context,
               v8::Local<v8::Function> function, double* id) {
  v8::Local<v8::Value> value;
  return function->Call(context, v8::Undefined(isolate), 0, nullptr)
             .ToLocal(&value) &&
         value->NumberValue(context).To(id);
}

constexpr size_t kCounts = 16;
using Counts = std::array<uint32_t, kCounts>;

// Which of Node's counts is the depth of its stack of contexts: with every
// context that is entered it grows by one. `words` point to where they may be.
const uint32_t* FindDepth(v8::Isolate* isolate,
                          const std::vector<const void*>& words) {
  std::vector<const uint32_t*> candidates;
  std::vector<Counts> before;
  for (const void* word : words) {
    const auto address = reinterpret_cast<uintptr_t>(word);
    if (address < 4096 || address % alignof(uint32_t) != 0) continue;
    Counts counts;
    if (!ReadOwnMemory(word, &counts, sizeof(counts))) continue;
    candidates.push_back(static_cast<const uint32_t*>(word));
    before.push_back(counts);
  }
  const auto all_show = [&](size_t of, size_t at, uint32_t more) {
    Counts counts;
    return ReadOwnMemory(candidates[of], &counts, sizeof(counts)) &&
           counts[at] == before[of][at] + more;
  };
  const v8::Local<v8::Object> resource = v8::Object::New(isolate);
  constexpr uint32_t kEntered = 3;
  std::vector<const uint32_t*> found;
  {
    const node::CallbackScope first(isolate, resource, {0, 0});
    const node::CallbackScope second(isolate, resource, {0, 0});
    const node::CallbackScope third(isolate, resource, {0, 0});
    for (size_t of = 0; of < candidates.size(); ++of) {
      for (size_t at = 0; at < kCounts; ++at) {
        if (all_show(of, at, kEntered)) found.push_back(&candidates[of][at]);
      }
    }
  }
  const uint32_t* depth = nullptr;
  for (const uint32_t* one : found) {
    for (size_t of = 0; of < candidates.size(); ++of) {
      const auto at = static_cast<size_t>(one - candidates[of]);
      if (at < kCounts && all_show(of, at, 0)) depth = one;
    }
  }
  return depth;
}

// The pointers that stand before `last` in `words`: in Node's AsyncHooks the
// counts come before the ids.
std::vector<const void*> WordsBefore(const std::vector<const void*>& words,
                                     const void* last) {
  constexpr ptrdiff_t kNear = 12;
  const auto at = std::find(words.begin(), words.end(), last);
  return {at - std::min(kNear, at - words.begin()), at};
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
  if (!CallForId(isolate, context, next_async_id, &first_id)) {
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
  if (!CallForId(isolate, context, next_async_id, &second_id) ||
      second_id == first_id) {
    return absl::UnavailableError("no fresh async id to compare with");
  }
  for (const double* candidate : candidates) {
    if (candidate[2] != second_id) continue;
    return AsyncIds{candidate,
                    FindDepth(isolate, WordsBefore(words, candidate))};
  }
  return absl::UnavailableError(
      "this Node keeps its async ids where they could not be found");
}

}  // namespace edgewise
