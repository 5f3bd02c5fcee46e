// The slices of events: for whom each runs, and its place in that request's
// graph and on the timeline.

#include <algorithm>

#include "analysis/builder/edg_builder.h"

namespace edgewise {

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
  OpenTurn({event_->begin_ns, event_->ready_ns, timeline_->next(),
            event_->ready_kind, event_->type});
  OpenSlice(event_->begin_ns, event_->counter_begin, event_->sequence);
  slice_.prefix = true;
  claim_ = event_->inner.empty() ? nullptr : ClaimOfPrefix();
  const Registrant owner = WhoRegisteredEvent();
  slice_.cause.step = connection_ != nullptr ? connection_->asked_step : 0;
  slice_.cause.async_id = event_->async_id;
  if (connection_ != nullptr) {
    connection_->Enter(event_->async_id, event_->sequence);
  }
  if (claim_ != nullptr && owner.request.generation != 0 &&
      claim_->type == static_cast<uint8_t>(RequestKind::kCustom)) {
    claim_ = nullptr;
  }
  if (claim_ != nullptr) {
    Attach(StartRequest(*claim_), 0, 0);
  } else if (owner.request.generation != 0) {
    Attach(owner);
  }
  if (connection_ != nullptr) connection_->answered = true;
}

// One event runs all timers that are due, or all immediates. Each was ready by
// itself, and what follows it was resumed by it.
void EdgBuilder::OpenTurn(const Turn& turn) {
  if (turn.begin_ns > event_->begin_ns) {
    connection_ = nullptr;
    event_dependency_.reset();
  }
  turn_ = turn;
  turns_request_ = {};
  registrant_ = {};
  several_register_ = false;
  shared_end_ns_ = event_->end_ns;
  if (shared_gc_.any) shared_gc_ = {};
}

// One read has brought several parts, for several. The first bytes are for the
// first who waits, the others' came at the latest with the last.
void EdgBuilder::FindOwnAnswer(RequestRef request, Node* node) {
  if (!several_wait_ || event_->latest_ns <= node->ready_ns) return;
  if (connection_->Find(request) == nullptr) return;
  if (request == first_asker_) {
    node->ready_kind = ReadyKind::kLowerBound;
    return;
  }
  node->ready_ns = std::min(event_->latest_ns, event_->begin_ns);
  node->ready_kind = ReadyKind::kUpperBound;
}

// A request that goes on in a turn of another's has waited for that one: it has
// held a lock or a pool's slot, or done what both wait for. What it had waited
// for itself is told as the call. Whom a connection's answer is for, may not be
// known: only where the other one goes on after it, that one has read it.
void EdgBuilder::FindHolder(RequestRef request, Node* node) {
  const TurnsRequest& other = turns_request_;
  if (other.request.generation == 0 || other.request == request) return;
  if ((node->flags & Node::kResolved) != 0) return;
  if (connection_ == nullptr && BringsBytes(turn_.type)) return;
  if (connection_ != nullptr && connection_->role == ConnectionRole::kOpened &&
      (!other.went_on || connection_->Find(request) != nullptr)) {
    return;
  }
  const uint32_t route = request_routes_->Of(other.ordinal);
  node->call =
      dependencies_->InternCall(dependencies_->At(DependencyOfEvent()).what());
  node->dependency = dependencies_->InternWork("request", routes_->Text(route));
  node->flags &= static_cast<uint8_t>(~Node::kPooled);
  node->taken_ns = 0;
}

void EdgBuilder::NoteTurnsRequest(RequestRef request) {
  if (turns_request_.request.generation == 0) {
    turns_request_ = {request, requests_.At(request).ordinal, false};
  }
  if (turns_request_.request == request && !slice_.prefix) {
    turns_request_.went_on = true;
  }
}

void EdgBuilder::OpenSlice(int64_t begin_ns, uint64_t counter,
                           uint64_t sequence) {
  in_slice_ = true;
  slice_.begin_ns = begin_ns;
  slice_.cursor_ns = begin_ns;
  slice_.counter = slice_.known = counter;
  slice_.sequence = sequence;
  slice_.cause = {};
  slice_.begin_piece = timeline_->next();
  slice_.request = {};
  slice_.node = 0;
  slice_.owner = 0;
  slice_.unsure = false;
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
  LeaveOnTrail(end_ns, counter);
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
  const auto append = [this](uint64_t after, uint64_t last, bool unsure) {
    registrations_.Append(
        {after, last, slice_.sequence, slice_.request, slice_.node, unsure},
        [this](const auto& entry) { return IsAlive(entry); });
  };
  const uint64_t last = std::max(counter, slice_.counter);
  if (last > slice_.counter) {
    several_register_ = OthersRegistered();
    registrant_ = slice_.request;
  }
  const uint64_t sure = slice_.unsure ? std::min(slice_.known, last) : last;
  append(slice_.counter, sure, /*unsure=*/false);
  if (sure < last) append(sure, last, /*unsure=*/true);
}

// Whether ticks of other requests may run in the slice: Node runs them when all
// functions of the turn have returned, and shows none of them, but a patched
// one.
bool EdgBuilder::OthersRegistered() const {
  const bool others = several_register_ || (registrant_.generation != 0 &&
                                            registrant_ != slice_.request);
  return others && !IsNative();
}

// A tick is noticed when it makes a promise or asks for something. What was
// registered shortly before may be its own; and it may be that of a tick that
// nobody has noticed.
void EdgBuilder::DoubtBeforeTick(const InnerRecord& slice) {
  const bool is_tick = slice.aux == 0 && slice.ready_kind == ReadyKind::kNone &&
                       slice.async_id > event_->counter_begin;
  if (!is_tick || IsNative() || !requests_.IsOpen(slice_.request)) return;
  if (slice.async_id > slice_.counter) return DoubtTick(slice);
  const RegistrationIndex::Entry* const owner = FindById(slice.async_id);
  slice_.unsure = owner != nullptr && owner->request != slice_.request;
}

// A tick runs in the slice itself, which was made there since something of the
// slice was seen last: by it, or by another tick.
void EdgBuilder::DoubtTick(const InnerRecord& record) {
  if (record.async_id > slice_.known && OthersRegistered()) {
    slice_.unsure = true;
  }
}

void EdgBuilder::PushPiece(int64_t end_ns) {
  const auto type = static_cast<uint8_t>(turn_.type);
  const auto ran = [&](int64_t from_ns, int64_t to_ns) {
    const VmTimes vm =
        vm_shares_.empty() ? VmTimes{} : vm_shares_.Take(from_ns, to_ns);
    timeline_->Push(from_ns, to_ns, slice_.owner, /*is_gc=*/false, type, vm);
  };
  const int64_t left_ns =
      ForOff(slice_.cursor_ns, end_ns, ran, [&](const OffSpan& off) {
        timeline_->PushOff(off, slice_.owner,
                           /*is_gc=*/false, type);
      });
  ran(left_ns, end_ns);
  slice_.cursor_ns = end_ns;
}

Node EdgBuilder::NodeOfSlice() {
  Node node{};
  node.begin_ns = slice_.begin_ns;
  node.end_ns = slice_.begin_ns;
  node.ready_ns = turn_.ready_ns;
  node.event_begin_ns = turn_.begin_ns;
  node.taken_ns = event_->work.has_value() ? event_->work->taken_ns : 0;
  node.shared_end_ns = slice_.prefix ? slice_.begin_ns : shared_end_ns_;
  node.event = event_->sequence;
  node.event_piece = turn_.piece;
  node.shared_end_piece =
      slice_.prefix ? slice_.begin_piece : shared_end_piece_;
  node.begin_piece = slice_.begin_piece;
  node.end_piece = slice_.begin_piece;
  node.dependency = DependencyOfEvent();
  node.call = DependencyTable::kUnknown;
  node.type = turn_.type;
  node.ready_kind = turn_.ready_kind;
  node.flags = static_cast<uint8_t>(
      (slice_.begin_ns > event_->begin_ns ? Node::kSlice : 0) |
      (event_->loop_slept ? Node::kLoopSlept : 0) |
      (IsPools() ? Node::kPooled : 0));
  return node;
}

void EdgBuilder::Attach(RequestRef request, uint32_t parent, uint8_t flags,
                        bool kept) {
  RequestGraph& graph = GraphOf(request);
  const bool is_source = graph.nodes.empty();
  Node here = NodeOfSlice();
  if (connection_ != nullptr) FindOwnAnswer(request, &here);
  // What ran for the request earlier in this turn resumed it, or at least came
  // last of all that it waited for: an `await` is registered long before, but
  // its promise is resolved here. But a call that was kept until a connection
  // was free (an agent's) is asked for by who has made it, and not by the
  // answer that has freed the connection. And what another request's function
  // has resolved (an emitter's) may be both: nobody says so.
  const bool goes_on = !is_source && graph.Last().IsInTurnOf(here);
  const bool waits_less = goes_on && graph.IsAfterCauseOfTurn(parent);
  if (waits_less && !kept && connection_ == nullptr &&
      graph.FirstOfTurn().begin_ns > turn_.begin_ns) {
    flags |= Node::kInferred;
  }
  if (goes_on && !(waits_less && kept)) parent = graph.LastIndex();
  here.own_before_ns = graph.own_ns;
  here.parent = parent;
  here.dependency = DependencyOf(request);
  NoteQuestionOf(request, &here);
  if (is_source) here.ready_kind = graph.ready_kind;
  here.flags |= flags;
  if (!is_source && !goes_on) FindHolder(request, &here);
  NoteTurnsRequest(request);
  nodes_.Add(&graph, requests_.open()) = here;
  graph.NoteTurn();
  slice_.request = request;
  slice_.node = graph.LastIndex();
  slice_.owner = graph.owner;
  if (connection_ != nullptr) {
    connection_->Resumed(request, slice_.node, event_->sequence);
  }
  if (!slice_.prefix) {
    NoteGc(shared_gc_, turn_.begin_ns, slice_.node, /*shared=*/true, &graph);
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

// Who registered a slice, of the open requests; null if nobody.
const RegistrationIndex::Entry* EdgBuilder::OwnerOf(
    const InnerRecord& slice) const {
  if (slice.aux == 0) return FindById(slice.async_id);
  return slice.aux < slice.sequence ? FindBySequence(slice.sequence - slice.aux)
                                    : nullptr;
}

// Whether a turn of its own begins with a slice: a timer's, or that of an
// immediate, which was set before the event. `leads`: nobody's turn has before.
bool EdgBuilder::BeginsTurn(const InnerRecord& slice, bool leads) {
  Turn turn{slice.time_ns, event_->ready_ns, timeline_->next(),
            event_->ready_kind, event_->type};
  if (slice.ready_kind != ReadyKind::kNone) {
    turn.ready_ns = std::min(slice.ready_ns, slice.time_ns);
    turn.ready_kind = slice.ready_kind;
    turn.type = EventType::kTimer;
  } else if (event_->type != EventType::kImmediate ||
             !slice.is_of_known_id(event_->counter_begin)) {
    return false;
  }
  if (!leads || turn.type != event_->type) {
    OpenTurn(turn);
    return true;
  }
  // What ran before it in its event was for it.
  turn_.ready_ns = std::min(turn.ready_ns, turn_.begin_ns);
  turn_.ready_kind = turn.ready_kind;
  return false;
}

void EdgBuilder::OnSlice(const InnerRecord& record) {
  if (IsNative() && GoesOn(record)) return;
  const bool leads = slice_.prefix && turn_.begin_ns == event_->begin_ns &&
                     !requests_.IsOpen(slice_.request);
  DoubtBeforeTick(record);
  CloseSlice(record.time_ns, record.counter);
  const bool begins = BeginsTurn(record, leads);
  OpenSlice(record.time_ns, record.counter, record.sequence);
  slice_.prefix = begins;
  if (connection_ != nullptr && !several_wait_) {
    slice_.cause.step = connection_->asked_step;
  }
  if (record.aux == 0) {
    slice_.cause.async_id = record.async_id;
    if (connection_ != nullptr) {
      connection_->Enter(record.async_id, event_->sequence);
    }
  } else if (record.aux < record.sequence) {
    slice_.cause.sequence = record.sequence - record.aux;
  }
  const RegistrationIndex::Entry* const owner = OwnerOf(record);
  if (owner == nullptr) return;
  if (!begins && record.ready_kind == ReadyKind::kNone &&
      IsResolvedBefore(owner->request)) {
    return Attach(owner->request, GraphOf(owner->request).LastIndex(),
                  Node::kResolved);
  }
  Registrant asking = LatestAsking(owner->request, owner->node);
  asking.inferred |= owner->unsure || MayHaveCalledAnother();
  Attach(asking, /*kept=*/record.aux == 0);
}

void EdgBuilder::OnGc(const InnerRecord& record) {
  CountGc(record, event_->off);
  PushPiece(record.time_ns);
  slice_gc_.any = true;
  const auto ran = [&](int64_t from_ns, int64_t to_ns) {
    if (from_ns >= to_ns) return;
    timeline_->Push(from_ns, to_ns, slice_.owner, /*is_gc=*/true, record.type);
    slice_gc_.ns[record.type] += to_ns - from_ns;
    if (!requests_.IsOpen(slice_.request)) return;
    GraphOf(slice_.request)
        .gc.push_back({slice_.node, static_cast<GcType>(record.type),
                       /*shared=*/false, from_ns, to_ns});
  };
  const int64_t left_ns =
      ForOff(record.time_ns, record.end_ns, ran, [&](const OffSpan& off) {
        timeline_->PushOff(off, slice_.owner, /*is_gc=*/true, record.type);
      });
  ran(left_ns, record.end_ns);
  slice_.cursor_ns = record.end_ns;
}

}  // namespace edgewise
