#pragma once

#include <cstdint>
#include <string>

#include "test/native/analysis/trace_builder.h"

namespace edgewise {

// A frame of a stack, in /app/server.js: its string id.
inline uint32_t AddFrame(uint32_t parent, const std::string& function,
                         uint32_t line, TraceBuilder* t) {
  const uint32_t name = t->String(function + "\n/app/server.js");
  return t->String(std::to_string(parent) + " " + std::to_string(name) + " " +
                   std::to_string(line) + " 5");
}

// `stack` was asked for, and nothing for so long before.
inline TraceBuilder& AddSample(int64_t asked, int64_t answered, int64_t before,
                               uint32_t stack, TraceBuilder* t) {
  Record record{};
  record.kind = RecordKind::kSample;
  record.ticks = t->Ticks(asked);
  record.duration = static_cast<float>(t->Ticks(answered) - t->Ticks(asked));
  record.ready_before =
      static_cast<float>(t->Ticks(asked) - t->Ticks(asked - before));
  record.aux = stack;
  return t->Raw(record);
}

}  // namespace edgewise
