#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "trace/record.h"

namespace edgewise {

// A moment at which bytes were handed to the kernel, and what ran then.
struct WriteMoment {
  uint64_t ticks;        // 0: there was none
  uint64_t slice_begin;  // of the slice, or of what was handled
  uint64_t ready;        // of its event; 0: unknown
  uint64_t async_id : 40;
  EventType type : 8;
  ReadyKind ready_kind : 8;
  uint64_t flags : 8;  // kFlagLoopSlept
};
static_assert(sizeof(WriteMoment) == 32);

// The last write on each descriptor: a response over TLS or HTTP/2 leaves in
// native code, and JavaScript learns of its end later. Loop thread only. Noting
// is a store of 32 bytes; pages that no descriptor needs are never touched.
class LastWrites {
 public:
  static constexpr size_t kMost = size_t{1} << 16;

  LastWrites()
      : writes_(static_cast<WriteMoment*>(
            std::calloc(kMost, sizeof(WriteMoment)))) {}

  void Note(int fd, const WriteMoment& write) {
    if (Holds(fd)) writes_.get()[fd] = write;
  }
  // The number is another file's from now on.
  void Forget(int fd) {
    if (Holds(fd)) writes_.get()[fd].ticks = 0;
  }
  // Null: none was seen.
  const WriteMoment* Of(int fd) const {
    if (!Holds(fd) || writes_.get()[fd].ticks == 0) return nullptr;
    return &writes_.get()[fd];
  }

 private:
  bool Holds(int fd) const {
    return static_cast<size_t>(fd) < kMost && writes_ != nullptr;
  }

  struct Free {
    void operator()(WriteMoment* writes) const { std::free(writes); }
  };
  const std::unique_ptr<WriteMoment, Free> writes_;
};

}  // namespace edgewise
