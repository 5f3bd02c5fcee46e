#include "analysis/graph/request_graph.h"

#include <algorithm>

namespace edgewise {
namespace {

// What a closed request's slot may keep allocated for the next.
constexpr size_t kMaxKeptNodes = 256;

}  // namespace

bool RequestGraph::IsAfterCauseOfTurn(uint32_t index) const {
  return !At(index).IsInTurnOf(nodes.back()) && index > FirstOfTurn().parent;
}

void RequestGraph::NoteTurn() {
  const Node& last = nodes.back();
  const bool goes_on = last.parent != 0 && last.parent + 1 == LastIndex() &&
                       At(last.parent).IsInTurnOf(last);
  if (!goes_on) turn_first = LastIndex();
}

void RequestGraph::Reset() {
  nodes.clear();
  gc.clear();
  calls.clear();
  ready_ns = 0;
  own_ns = 0;
  owner = 0;
  connection = ConnectionUse::kUnknown;
  truncated = false;
  fd = kNoFd;
  received = kUnknownOffset;
  link = 0;
  session = 0;
  dropped = 0;
  turn_first = 0;
}

void RequestGraph::CountCall(uint32_t dependency) {
  for (Calls& known : calls) {
    if (known.dependency != dependency) continue;
    ++known.count;
    return;
  }
  if (calls.size() < kMaxCalledDependencies) calls.push_back({dependency, 1});
}

void RequestGraph::Rename(uint32_t dependency, uint32_t name, bool asked) {
  for (Node& node : nodes) {
    if (node.dependency == dependency) node.dependency = name;
  }
  const auto known = std::find_if(
      calls.begin(), calls.end(),
      [dependency](const Calls& c) { return c.dependency == dependency; });
  if (known == calls.end()) return;
  const uint32_t count = asked ? known->count : 0;
  calls.erase(known);
  for (uint32_t i = 0; i < count; ++i) CountCall(name);
}

void RequestGraph::Truncate() {
  const size_t count = (nodes.size() - 1) / 2;
  if (count == 0) return;
  nodes.erase(nodes.begin() + 1, nodes.begin() + 1 + static_cast<long>(count));
  dropped += static_cast<uint32_t>(count);
  truncated = true;
  std::erase_if(gc, [this](const GcNote& note) { return !Holds(note.node); });
}

void RequestGraph::DropAfter(uint32_t index) {
  const Node& last = At(index);
  own_ns = last.own_before_ns + (last.end_ns - last.begin_ns);
  nodes.resize((index > dropped ? index - dropped : 0) + 1);
  std::erase_if(gc, [index](const GcNote& note) { return note.node > index; });
  turn_first = index;
  while (At(turn_first).parent != 0 &&
         At(At(turn_first).parent).IsInTurnOf(nodes.back())) {
    turn_first = At(turn_first).parent;
  }
}

size_t NodeBudget::LimitOf(size_t open) const {
  const size_t share = max_nodes_ / std::max<size_t>(1, open);
  // Those that fill half their share need no more than half of all together.
  if (held_ >= max_nodes_) return std::max(share / 2, kFewNodes);
  return std::clamp(share, kMinNodes, kMaxNodes);
}

void NodeBudget::MakeRoom(RequestGraph* graph, size_t open) {
  std::vector<Node>& nodes = graph->nodes;
  const size_t limit = LimitOf(open);
  if (nodes.size() >= limit) {
    graph->Truncate();
    return;
  }
  const size_t before = nodes.capacity();
  nodes.reserve(std::min(limit, std::max<size_t>(4, 2 * before)));
  held_ += nodes.capacity() - before;
}

void NodeBudget::Release(RequestGraph* graph) {
  const size_t nodes = graph->nodes.capacity();
  if (nodes > kMaxKeptNodes || held_ > max_nodes_ / 2) {
    // `= {}` would empty it only.
    graph->nodes = std::vector<Node>();
    held_ -= nodes;
  }
  if (graph->gc.capacity() > kMaxKeptNodes) graph->gc = std::vector<GcNote>();
}

}  // namespace edgewise
