#include "analysis/request_graph.h"

#include <algorithm>

namespace edgewise {
namespace {

// What a closed request's slot may keep allocated for the next.
constexpr size_t kMaxKeptNodes = 256;

}  // namespace

void RequestGraph::Reset() {
  if (nodes.capacity() > kMaxKeptNodes) {
    nodes = {};
    gc = {};
  }
  nodes.clear();
  gc.clear();
  ready_ns = 0;
  own_ns = 0;
  owner = 0;
  truncated = false;
  dropped = 0;
}

void RequestGraph::Truncate() {
  const size_t count = (nodes.size() - 1) / 2;
  if (count == 0) return;
  nodes.erase(nodes.begin() + 1, nodes.begin() + 1 + static_cast<long>(count));
  dropped += static_cast<uint32_t>(count);
  truncated = true;
  std::erase_if(gc, [this](const GcNote& note) { return !Holds(note.node); });
}

}  // namespace edgewise
