#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/graph/loop_timeline.h"
#include "analysis/stream/event_stream.h"
#include "whatif/model/model.h"

namespace edgewise {

// The collections of a loop: after how much execution each came, how long it
// took, and what it left on the heap.
class CollectionFitting {
 public:
  // The loop ran something else.
  void Ran(float ns) { since_ns_ += ns; }
  // A piece of a collection, in order of time.
  void Add(const Piece& piece);
  void Note(std::span<const HeapChange> heaps) {
    heaps_.insert(heaps_.end(), heaps.begin(), heaps.end());
  }
  // All are there.
  void Fit(LoopModel* model);

 private:
  struct Span {
    int64_t begin_ns;
    int64_t end_ns;
    bool young;
    bool whole;  // of the whole heap
  };
  // What was promoted between collections of the whole heap, and what the later
  // of them have freed.
  struct Promoted {
    bool begun = false;
    double since = 0;  // the last of them, bytes
    double promoted = 0;
    double freed = 0;
  };

  void NoteWhole(const HeapChange& heap);

  std::vector<LoopPause> collections_;
  std::vector<Span> spans_;  // of each
  std::vector<HeapChange> heaps_;
  double since_ns_ = 0;  // that was run since the last one
  uint8_t type_ = 0;     // of the last one
  Promoted promoted_;
};

}  // namespace edgewise
