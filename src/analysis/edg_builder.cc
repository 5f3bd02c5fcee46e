#include "analysis/edg_builder.h"

#include <algorithm>

namespace edgewise {

void EdgBuilder::Run() {
  while (true) {
    switch (stream_->Next()) {
      case EventStream::Item::kEvent:
        OnEvent(stream_->event());
        break;
      case EventStream::Item::kBreak:
        OnBreak();
        break_starts_ = requests_.starts();
        break;
      case EventStream::Item::kRestart:
        OnBreak();
        CloseAll();
        timeline_->Flush();
        break;
      case EventStream::Item::kEnd:
        OnBreak();
        CloseAll();
        timeline_->Flush();
        return;
    }
  }
}

bool EdgBuilder::IsAlive(const RegistrationIndex::Entry& entry) const {
  return requests_.IsOpen(entry.request) &&
         requests_.At(entry.request).state.Holds(entry.node);
}

const RegistrationIndex::Entry* EdgBuilder::FindById(uint64_t async_id) const {
  if (async_id == 0) return nullptr;
  return registrations_.FindId(
      async_id, [this](const auto& entry) { return IsAlive(entry); });
}

const RegistrationIndex::Entry* EdgBuilder::FindBySequence(
    uint64_t sequence) const {
  const auto alive = [this](const auto& entry) { return IsAlive(entry); };
  // A slice that changed hands at an edge has kept its number.
  return has_edges_ ? registrations_.FindOnlySequence(sequence, alive)
                    : registrations_.FindSequence(sequence, alive);
}

void EdgBuilder::OnEvent(const Event& event) {
  event_ = &event;
  event_dependency_.reset();
  NoteScope(event);
  continues_read_ = event.fd != kNoFd && event.fd == last_fd_ &&
                    event.begin_ns - last_end_ns_ <= kSameNs;
  last_fd_ = event.fd;
  last_end_ns_ = event.end_ns;
  OnBetween(event.before);
  busy_ns_ += static_cast<double>(event.end_ns - event.begin_ns);
  vm_shares_.Plan(event);
  OpenPrefix();
  for (const InnerRecord& record : event.inner) {
    switch (record.kind) {
      case RecordKind::kSlice:
        OnSlice(record);
        break;
      case RecordKind::kEdge:
        OnEdge(record);
        break;
      case RecordKind::kGc:
        OnGc(record);
        break;
      case RecordKind::kRequestStart:
        OnStart(record);
        break;
      case RecordKind::kRequestEnd:
        OnEnd(record);
        break;
      case RecordKind::kConnection:
      case RecordKind::kUse:
        OnConnection(record);
        break;
      default:
        break;
    }
  }
  CloseSlice(event.end_ns, event.counter_end);
  if (closed_some_) {
    ledger_->ReleaseClosed(timeline_->next());
    closed_some_ = false;
  }
}

// What happened since the event before, while no slice ran.
void EdgBuilder::OnBetween(std::span<const InnerRecord> records) {
  slice_.request = {};
  for (const InnerRecord& record : records) {
    if (record.kind != RecordKind::kGc) {
      OnConnection(record);
      continue;
    }
    CountGc(record);
    busy_ns_ += static_cast<double>(record.end_ns - record.time_ns);
    timeline_->Push(record.time_ns, record.end_ns, 0, /*is_gc=*/true,
                    record.type);
  }
}

// The records of an event that is missing: a request that starts or ends here
// cannot be told from beginning to end.
void EdgBuilder::OnBreak() {
  for (const InnerRecord& record : stream_->orphans()) {
    if (record.kind == RecordKind::kGc) CountGc(record);
    if (record.kind == RecordKind::kConnection) OnConnection(record);
    if (record.kind == RecordKind::kRequestStart) {
      const RequestRef open = requests_.Find(record.aux);
      if (requests_.IsOpen(open)) CloseRequest(open, RouteTable::kUnfinished);
      if (requests_.MarkLost(record.aux)) ++counts_.lost;
    }
    if (record.kind == RecordKind::kRequestEnd) {
      const RequestRef open = requests_.Find(record.aux);
      if (requests_.IsOpen(open)) {
        CloseRequest(open, RouteOf(record.text));
        ++counts_.lost;
      } else if (!requests_.UnmarkLost(record.aux)) {
        ++counts_.lost;
      }
    }
  }
}

void EdgBuilder::CountGc(const InnerRecord& record) {
  const auto ns = static_cast<double>(record.end_ns - record.time_ns);
  ++counts_.gc_count[record.type];
  counts_.gc_ns[record.type] += ns;
  ++counts_.gc_reason_count[record.aux];
  counts_.gc_reason_ns[record.aux] += ns;
}

// The first request that starts in the event's first slice owns the slice: the
// slice is the reading and parsing of that request. Whoever registered the
// connection does not matter then. A custom request owns only what nobody else
// does, and nothing of the main script. A request that ends before it in the
// slice must be closed first.
const InnerRecord* EdgBuilder::ClaimOfPrefix() const {
  if (event_->type == EventType::kMain) return nullptr;
  for (const InnerRecord& record : event_->inner) {
    if (record.kind == RecordKind::kRequestStart) return &record;
    if (record.kind != RecordKind::kGc && record.kind != RecordKind::kTimes) {
      return nullptr;
    }
  }
  return nullptr;
}

void EdgBuilder::OpenPrefix() {
  event_piece_ = timeline_->next();
  shared_end_ns_ = event_->end_ns;
  if (shared_gc_.any) shared_gc_ = {};
  OpenSlice(event_->begin_ns, event_->counter_begin, event_->sequence);
  slice_.prefix = true;
  claim_ = event_->inner.empty() ? nullptr : ClaimOfPrefix();
  const Registrant owner = WhoRegisteredEvent();
  if (claim_ != nullptr && owner.request.generation != 0 &&
      claim_->type == static_cast<uint8_t>(RequestKind::kCustom)) {
    claim_ = nullptr;
  }
  if (claim_ != nullptr) {
    Attach(StartRequest(*claim_), 0, 0);
  } else if (owner.request.generation != 0) {
    Attach(owner.request, owner.node, 0);
  }
  if (connection_ != nullptr) connection_->answered = true;
}

void EdgBuilder::OpenSlice(int64_t begin_ns, uint64_t counter,
                           uint64_t sequence) {
  slice_.begin_ns = begin_ns;
  slice_.cursor_ns = begin_ns;
  slice_.counter = counter;
  slice_.sequence = sequence;
  slice_.begin_piece = timeline_->next();
  slice_.request = {};
  slice_.node = 0;
  slice_.owner = 0;
  slice_.prefix = false;
  slice_.by_edge = false;
  slice_.serves_all = false;
  slice_.guest = {};
  if (slice_gc_.any) slice_gc_ = {};
}

void EdgBuilder::CloseSlice(int64_t end_ns, uint64_t counter) {
  PushPiece(end_ns);
  if (slice_.prefix) {
    shared_end_ns_ = end_ns;
    shared_end_piece_ = timeline_->next();
    if (slice_gc_.any) shared_gc_ = slice_gc_;
  }
  if (!requests_.IsOpen(slice_.request)) return;
  RequestGraph& graph = GraphOf(slice_.request);
  Node& node = graph.Last();
  node.end_ns = end_ns;
  node.end_piece = timeline_->next();
  graph.own_ns += end_ns - node.begin_ns;
  if (!slice_.serves_all) Register(counter);
}

// What the slice has registered, up to a count.
void EdgBuilder::Register(uint64_t counter) {
  registrations_.Append({slice_.counter, std::max(counter, slice_.counter),
                         slice_.sequence, slice_.request, slice_.node},
                        [this](const auto& entry) { return IsAlive(entry); });
}

void EdgBuilder::PushPiece(int64_t end_ns) {
  const VmTimes vm = vm_shares_.empty()
                         ? VmTimes{}
                         : vm_shares_.Take(slice_.cursor_ns, end_ns);
  timeline_->Push(slice_.cursor_ns, end_ns, slice_.owner, /*is_gc=*/false,
                  static_cast<uint8_t>(event_->type), vm);
  slice_.cursor_ns = end_ns;
}

void EdgBuilder::Attach(RequestRef request, uint32_t parent, uint8_t flags) {
  RequestGraph& graph = GraphOf(request);
  const bool is_source = graph.nodes.empty();
  // What ran for the request earlier in this event resumed it, or at least came
  // last of all that it waited for: an `await` is registered long before, but
  // its promise is resolved here.
  const bool own_ready = (flags & Node::kOwnReady) != 0;
  if (!is_source && !own_ready && graph.Last().event == event_->sequence) {
    parent = graph.LastIndex();
  }
  Node& node = nodes_.Add(&graph, requests_.open());
  node.begin_ns = slice_.begin_ns;
  node.end_ns = slice_.begin_ns;
  node.ready_ns = event_->ready_ns;
  node.event_begin_ns = event_->begin_ns;
  node.shared_end_ns = slice_.prefix ? slice_.begin_ns : shared_end_ns_;
  node.own_before_ns = graph.own_ns;
  node.event = event_->sequence;
  node.event_piece = event_piece_;
  node.shared_end_piece =
      slice_.prefix ? slice_.begin_piece : shared_end_piece_;
  node.begin_piece = slice_.begin_piece;
  node.end_piece = slice_.begin_piece;
  node.parent = parent;
  node.dependency = DependencyOfEvent();
  node.call = CallOf(request);
  node.type = event_->type;
  node.ready_kind = is_source ? graph.ready_kind : event_->ready_kind;
  node.flags = static_cast<uint8_t>(
      flags | (slice_.begin_ns > event_->begin_ns ? Node::kSlice : 0) |
      (event_->loop_slept ? Node::kLoopSlept : 0));
  slice_.request = request;
  slice_.node = graph.LastIndex();
  slice_.owner = graph.owner;
  if (connection_ != nullptr) connection_->Resumed(request, slice_.node);
  if (!slice_.prefix) {
    NoteGc(shared_gc_, event_->begin_ns, slice_.node, /*shared=*/true, &graph);
  }
}

void EdgBuilder::NoteGc(const GcTimes& gc, int64_t begin_ns, uint32_t node,
                        bool shared, RequestGraph* graph) const {
  if (!gc.any) return;
  for (size_t type = 0; type < gc.ns.size(); ++type) {
    if (gc.ns[type] == 0) continue;
    graph->gc.push_back({node, static_cast<GcType>(type), shared, begin_ns,
                         begin_ns + gc.ns[type]});
    begin_ns += gc.ns[type];
  }
}

void EdgBuilder::OnSlice(const InnerRecord& record) {
  if (stream_->meta().causality == "native" && GoesOn(record)) return;
  CloseSlice(record.time_ns, record.counter);
  OpenSlice(record.time_ns, record.counter, record.sequence);
  const RegistrationIndex::Entry* owner = nullptr;
  if (record.aux == 0) {
    owner = FindById(record.async_id);
  } else if (record.aux < record.sequence) {
    owner = FindBySequence(record.sequence - record.aux);
  }
  if (owner == nullptr) return;
  const bool own_ready = record.ready_kind != ReadyKind::kNone;
  if (!own_ready && IsResolvedBefore(owner->request)) {
    return Attach(owner->request, GraphOf(owner->request).LastIndex(),
                  Node::kResolved);
  }
  Attach(owner->request, LatestAsking(owner->request, owner->node),
         own_ready ? Node::kOwnReady : 0);
  if (!own_ready) return;
  Node& node = GraphOf(slice_.request).Last();
  node.ready_ns = std::min(record.ready_ns, node.begin_ns);
  node.ready_kind = record.ready_kind;
}

void EdgBuilder::OnGc(const InnerRecord& record) {
  CountGc(record);
  PushPiece(record.time_ns);
  timeline_->Push(record.time_ns, record.end_ns, slice_.owner, /*is_gc=*/true,
                  record.type);
  slice_.cursor_ns = record.end_ns;
  slice_gc_.any = true;
  slice_gc_.ns[record.type] += record.end_ns - record.time_ns;
  if (!requests_.IsOpen(slice_.request)) return;
  GraphOf(slice_.request)
      .gc.push_back({slice_.node, static_cast<GcType>(record.type),
                     /*shared=*/false, record.time_ns, record.end_ns});
}

RequestRef EdgBuilder::StartRequest(const InnerRecord& record) {
  const RequestRef same = requests_.Find(record.aux);
  if (requests_.IsOpen(same)) {
    CloseRequest(same, RouteTable::kUnfinished);
    ++counts_.lost;
  }
  if (requests_.full()) CloseOldest();
  const RequestRef request = requests_.Start(record.aux);
  RequestGraph& graph = GraphOf(request);
  graph.Reset();
  graph.ready_ns = record.ready_ns;
  graph.ready_kind = record.ready_kind;
  if (!first_ready_ns_) first_ready_ns_ = graph.ready_ns;
  graph.owner = ledger_->NewOwner();
  graph.kind = static_cast<RequestKind>(record.type);
  if (graph.kind != RequestKind::kCustom && event_->fd != kNoFd) {
    connections_.Serve(event_->fd, request, graph.kind, [this](RequestRef ref) {
      return requests_.IsOpen(ref);
    });
  }
  return request;
}

void EdgBuilder::OnStart(const InnerRecord& record) {
  if (&record == claim_) return;
  const RequestRef request = StartRequest(record);
  // A slice of nobody's was opened for the request (the second of a pipeline).
  const bool take_whole = slice_.request.generation == 0 && !slice_.prefix;
  if (!take_whole) {
    const uint64_t sequence = slice_.sequence;
    CloseSlice(record.time_ns, record.counter);
    OpenSlice(record.time_ns, record.counter, sequence);
  }
  Attach(request, 0, 0);
}

void EdgBuilder::CloseRequest(RequestRef request, uint32_t route) {
  RequestGraph& graph = GraphOf(request);
  ledger_->CloseOwner(graph.owner, route);
  nodes_.Release(&graph);
  closed_some_ = true;
  requests_.Close(request);
}

void EdgBuilder::CloseOldest() {
  const RequestRef oldest = requests_.Oldest();
  const bool lost = requests_.At(oldest).ordinal < break_starts_;
  ++(lost ? counts_.lost : counts_.unfinished);
  CloseRequest(oldest, RouteTable::kUnfinished);
}

void EdgBuilder::CloseAll() {
  while (requests_.open() > 0) CloseOldest();
  ledger_->ReleaseClosed(timeline_->next());
  requests_.ForgetLost();
  registrations_.Clear();
  connections_.Clear();
  connection_ = nullptr;
  hubs_.clear();
  has_edges_ = false;
  route_of_string_.clear();
}

uint32_t EdgBuilder::RouteOf(uint32_t string_id) {
  const auto it = route_of_string_.find(string_id);
  if (it != route_of_string_.end()) return it->second;
  const std::string* text = stream_->StringOf(string_id);
  // Not remembered: the text may still come, in a later chunk.
  if (text == nullptr) return RouteTable::kUnknown;
  const uint32_t route = routes_->Intern(*text);
  route_of_string_.emplace(string_id, route);
  return route;
}

}  // namespace edgewise
