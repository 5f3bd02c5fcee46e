#include "hooks/script_stack.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "recorder/protocol/fold.h"
#include "recorder/protocol/operation_text.h"

namespace edgewise {
namespace {

std::string TextOf(v8::Isolate* isolate, v8::Local<v8::String> text) {
  if (text.IsEmpty()) return {};
  const v8::String::Utf8Value utf8(isolate, text);
  return *utf8 != nullptr ? std::string(*utf8, utf8.length()) : std::string();
}

uint32_t PlaceOf(int place) {
  return place > 0 ? static_cast<uint32_t>(place) : 0;
}

// A property that holds a value; empty: it is none, or a getter, or a proxy's.
v8::Local<v8::Value> ValueOf(v8::Isolate* isolate,
                             v8::Local<v8::Context> context,
                             v8::Local<v8::Value> holder, const char* name) {
  if (!holder->IsObject() || holder->IsProxy()) return {};
  v8::Local<v8::String> key;
  v8::Local<v8::Value> found;
  const auto text_of = [&](const char* text) {
    return v8::String::NewFromUtf8(isolate, text,
                                   v8::NewStringType::kInternalized);
  };
  if (!text_of(name).ToLocal(&key) ||
      !holder.As<v8::Object>()
           ->GetOwnPropertyDescriptor(context, key)
           .ToLocal(&found) ||
      !found->IsObject() || !text_of("value").ToLocal(&key) ||
      !found.As<v8::Object>()->Get(context, key).ToLocal(&found)) {
    return {};
  }
  return found;
}
}  // namespace

const FrameWords::Words& FrameWords::Of(v8::Isolate* isolate,
                                        v8::Local<v8::StackFrame> frame,
                                        v8::Location place) {
  const Key key = {frame->GetScriptId(), place.GetLineNumber(),
                   place.GetColumnNumber()};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  std::string script = TextOf(isolate, frame->GetScriptNameOrSourceURL());
  const bool left_out = !left_out_.empty() && script.starts_with(left_out_);
  return known_
      .emplace(key, Words{TextOf(isolate, frame->GetFunctionName()),
                          std::move(script), left_out})
      .first->second;
}

ScriptStack::ScriptStack(v8::Isolate* isolate, size_t max_frames,
                         FrameWords* words) {
  const v8::HandleScope scope(isolate);
  const v8::Local<v8::StackTrace> trace = v8::StackTrace::CurrentStackTrace(
      isolate, static_cast<int>(max_frames),
      static_cast<v8::StackTrace::StackTraceOptions>(
          v8::StackTrace::kLineNumber | v8::StackTrace::kColumnOffset |
          v8::StackTrace::kFunctionName | v8::StackTrace::kScriptId |
          v8::StackTrace::kScriptNameOrSourceURL |
          v8::StackTrace::kExposeFramesAcrossSecurityOrigins));
  all_ = static_cast<size_t>(trace->GetFrameCount());
  words->MakeRoom();
  frames_.reserve(all_);
  numbers_.reserve(all_);
  for (size_t i = 0; i < all_; ++i) {
    const v8::Local<v8::StackFrame> frame =
        trace->GetFrame(isolate, static_cast<uint32_t>(i));
    v8::Location place = frame->GetLocation();
    const auto& [function, script, left_out] = words->Of(isolate, frame, place);
    if (left_out) continue;
    numbers_.push_back(i);
    frames_.push_back({function, script, PlaceOf(place.GetLineNumber() + 1),
                       PlaceOf(place.GetColumnNumber() + 1)});
  }
}

void ScriptStack::Leave(size_t innermost) {
  const auto first =
      std::lower_bound(numbers_.begin(), numbers_.end(), innermost);
  frames_.erase(frames_.begin(), frames_.begin() + (first - numbers_.begin()));
  numbers_.erase(numbers_.begin(), first);
}

const StackFrame* ScriptStack::Innermost() const {
  for (const StackFrame& frame : frames_) {
    if (!frame.script.empty() && !frame.script.starts_with("node:")) {
      return &frame;
    }
  }
  return frames_.empty() ? nullptr : frames_.data();
}

std::string RouteOf(v8::Isolate* isolate,
                    const v8::Global<v8::Object>& holder) {
  if (holder.IsEmpty()) return {};
  const v8::HandleScope scope(isolate);
  const v8::Isolate::DisallowJavascriptExecutionScope none_runs(
      isolate, v8::Isolate::DisallowJavascriptExecutionScope::THROW_ON_FAILURE);
  const v8::TryCatch unheard(isolate);
  const v8::Local<v8::Context> context = isolate->GetCurrentContext();
  if (context.IsEmpty()) return {};
  const v8::Local<v8::Value> request =
      ValueOf(isolate, context, holder.Get(isolate), "request");
  if (request.IsEmpty()) return {};
  const v8::Local<v8::Value> method =
      ValueOf(isolate, context, request, "method");
  // A router that is mounted somewhere cuts that off the other one.
  v8::Local<v8::Value> url = ValueOf(isolate, context, request, "originalUrl");
  if (url.IsEmpty() || !url->IsString()) {
    url = ValueOf(isolate, context, request, "url");
  }
  if (method.IsEmpty() || !method->IsString() || url.IsEmpty() ||
      !url->IsString()) {
    return {};
  }
  const std::string whole = TextOf(isolate, url.As<v8::String>());
  const std::string_view path =
      std::string_view(whole).substr(0, whole.find_first_of("?#"));
  OperationText folded;
  AppendFoldedPath(path, /*complete=*/true, &folded);
  std::string route = TextOf(isolate, method.As<v8::String>());
  return route.append(" ").append(folded.view());
}

}  // namespace edgewise
