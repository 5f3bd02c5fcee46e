#pragma once

#include <v8.h>

#include <cstddef>
#include <cstdint>

#include "trace/record.h"

namespace edgewise {

// What each collection finds and leaves on the heap. Loop thread.
class HeapSizes {
 public:
  // `isolate` outlives it.
  explicit HeapSizes(v8::Isolate* isolate);

  // An outermost collection begins.
  void Begin();
  // It has ended; `ticks` lies in it. Its record (kHeap). False: V8 tells no
  // sizes, or Begin() was not called.
  bool End(uint64_t ticks, Record* record);

 private:
  struct Sizes {
    uint64_t young = 0;  // bytes
    uint64_t old = 0;
    uint64_t semi_space = 0;
  };
  Sizes Now();

  v8::Isolate* const isolate_;
  size_t young_space_;  // V8's number; kNone: it has no such space
  static constexpr size_t kNone = SIZE_MAX;
  bool begun_ = false;
  Sizes before_;
};

}  // namespace edgewise
