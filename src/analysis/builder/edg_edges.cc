// What only a patched Node's recorder tells: calls of functions that belong to
// another slice, and every single continuation.

#include "analysis/builder/edg_builder.h"

namespace edgewise {

// A function that was made for one request is called in a slice of another, or
// of nobody. Where the slice is nobody's own (a shared connection's bytes, a
// queue that calls one waiting request after the other) the rest of it is the
// function's request's, up to the next such call. Where it belongs to a request
// it goes on to: the function is a guest, which may end its request there.
void EdgBuilder::OnEdge(const InnerRecord& record) {
  has_edges_ = true;
  if (record.aux == 0 || record.aux >= record.sequence) return;
  const uint64_t number = record.sequence - record.aux;
  const RegistrationIndex::Entry* const found = FindBySequence(number);
  if (found == nullptr || found->request == slice_.request || IsHub(number)) {
    return;
  }
  const RegistrationIndex::Entry source = *found;
  if (!MayChangeHands()) {
    PushPiece(record.time_ns);
    slice_.guest = {source.request, source.node, record.time_ns,
                    timeline_->next()};
    host_gc_ = slice_gc_;
    return;
  }
  // It has read for whom it calls now, whoever opened the connection.
  slice_.serves_all = slice_.prefix;
  CloseSlice(record.time_ns, record.counter);
  OpenSlice(record.time_ns, record.counter, record.sequence);
  slice_.by_edge = true;
  Attach(LatestAsking(source.request, source.node));
}

// The sink of a guest: the slice since its function was called. What the host
// did before is the event's first slice, shared, or else the guest waited for
// it; so with the collections of either part.
uint32_t EdgBuilder::GuestNode() {
  const Slice host = slice_;
  const Guest& guest = host.guest;
  slice_.begin_ns = guest.begin_ns;
  slice_.begin_piece = guest.begin_piece;
  Attach(LatestAsking(guest.request, guest.node));
  const uint32_t node = slice_.node;
  slice_ = host;
  GcTimes own = slice_gc_;
  for (size_t type = 0; type < own.ns.size(); ++type) {
    own.ns[type] -= host_gc_.ns[type];
  }
  RequestGraph& graph = GraphOf(guest.request);
  NoteGc(own, guest.begin_ns, node, /*shared=*/false, &graph);
  if (slice_.prefix) {
    NoteGc(host_gc_, slice_.begin_ns, node, /*shared=*/true, &graph);
  }
  return node;
}

// V8 begins a slice for each continuation. Those of one request that follow
// each other are one slice here, under several numbers.
bool EdgBuilder::GoesOn(const InnerRecord& slice) {
  if (slice_.prefix || !requests_.IsOpen(slice_.request)) return false;
  if (slice.aux == 0 || slice.aux >= slice.sequence) return false;
  const RegistrationIndex::Entry* const source =
      FindBySequence(slice.sequence - slice.aux);
  if (source == nullptr || source->request != slice_.request) return false;
  Register(slice.counter);
  slice_.counter = slice.counter;
  slice_.sequence = slice.sequence;
  slice_.by_edge = false;
  return true;
}

// What the first slices of many requests call was made for all of them, by
// whichever came first: a module that is loaded late, a lazy connection.
bool EdgBuilder::IsHub(uint64_t source) {
  const bool first_slice = requests_.IsOpen(slice_.request) && slice_.node == 0;
  if (!first_slice) {
    const auto it = hubs_.find(source);
    return it != hubs_.end() && it->second.requests >= kHubRequests;
  }
  if (hubs_.size() >= kMaxHubs) hubs_.clear();
  Hub& hub = hubs_[source];
  if (hub.last != slice_.request) ++hub.requests;
  hub.last = slice_.request;
  return hub.requests >= kHubRequests;
}

bool EdgBuilder::MayChangeHands() const {
  if (!requests_.IsOpen(slice_.request) || slice_.by_edge) return true;
  // Whoever opened a connection need not be whom its bytes are for.
  return slice_.prefix && claim_ == nullptr &&
         (event_->type == EventType::kTcpRead ||
          event_->type == EventType::kPipeRead);
}

}  // namespace edgewise
