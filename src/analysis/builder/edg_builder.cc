#include "analysis/builder/edg_builder.h"

#include <algorithm>
#include <utility>

#include "analysis/stacks/sample_parts.h"

namespace edgewise {
namespace {

bool IsNativeImmediate(EventType type) {
  return type == EventType::kDns || type == EventType::kImmediate;
}

}  // namespace

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
  next_off_ = 0;
  off_ns_ +=
      static_cast<double>(event.end_ns - event.begin_ns -
                          RanFor(event.off, event.begin_ns, event.end_ns));
  if (!event.samples.empty()) TakeSamples();
  NoteScope(event);
  continues_read_ = event.fd != kNoFd && event.fd == last_fd_ &&
                    event.begin_ns - last_end_ns_ <= kSameNs;
  last_fd_ = event.fd;
  last_end_ns_ = event.end_ns;
  const uint64_t first_piece = timeline_->next();
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
        DoubtTick(record);
        OnConnection(record);
        break;
      case RecordKind::kUse:
        DoubtTick(record);
        OnUse(record);
        break;
      default:
        break;
    }
    if (!slice_.unsure) slice_.known = std::max(slice_.known, record.counter);
  }
  NoteAddresses();
  CloseSlice(event.end_ns, event.counter_end);
  if (watcher_ != nullptr) watcher_->OnEvent(event, first_piece);
  if (closed_some_) {
    ledger_->ReleaseClosed(timeline_->next());
    closed_some_ = false;
  }
}

// The immediates of native code, of which a resolver's callbacks are, run in
// one scope, each an event; what they resolve runs when the scope ends, in the
// last one's or in that of Node's own immediates, before the first of these.
void EdgBuilder::NoteScope(const Event& event) {
  const bool was_in_scope = std::exchange(in_scope_, false);
  if (IsNativeImmediate(event.type)) {
    const auto slice = std::find_if(event.inner.begin(), event.inner.end(),
                                    [](const InnerRecord& record) {
                                      return record.kind == RecordKind::kSlice;
                                    });
    in_scope_ = slice == event.inner.end();
    const bool is_nodes = !in_scope_ && event.async_id == 0 &&
                          slice->is_of_known_id(event.counter_begin);
    const bool follows = event.begin_ns - last_end_ns_ <= kSameNs;
    if (was_in_scope && follows && !is_nodes) return;
  }
  scope_begin_ = event.sequence;
}

bool EdgBuilder::IsResolvedBefore(RequestRef request) {
  const Node& last = GraphOf(request).Last();
  return IsNativeImmediate(last.type) && last.event >= scope_begin_ &&
         last.event < event_->sequence;
}

// What the thread did between the question and the answer is the function's,
// but for collections and what it did not run. The samples of an event stand
// for all that it ran, each for what was since the one before it too, unless it
// was asked for in a collection or a sleep: more often than by chance such a
// one is where it ends, and the next one stands for what was before. A short
// event is sampled by chance: by so much as it is shorter than the pause
// before, it stands for others like it that were not (Horvitz and Thompson's
// estimator).
void EdgBuilder::TakeSamples() {
  const Event& event = *event_;
  SampleParts parts(event);
  SampleTimeline& samples = timeline_->samples();
  samples.Count(event.samples.size());
  for (const SampleParts::Part& part : parts.Take()) {
    const uint32_t stack = stacks_.NodeOf(event.samples[part.sample]);
    samples.Push(part.from_ns, part.in_ns, part.to_ns, part.weight_ns, stack);
    if (watcher_ != nullptr) {
      watcher_->OnSample(part.sample, part.in_ns, part.weight_ns, stack);
    }
  }
}

// What happened since the event before, while no slice ran.
void EdgBuilder::OnBetween(std::span<const InnerRecord> records) {
  slice_.request = {};
  for (const InnerRecord& record : records) {
    if (record.kind == RecordKind::kConnection) OnConnection(record);
    if (record.kind == RecordKind::kUse) OnUse(record);
    if (record.kind != RecordKind::kGc) continue;
    CountGc(record, event_->off);
    busy_ns_ += static_cast<double>(record.end_ns - record.time_ns);
    NoteIdle(idle_from_ns_, record.time_ns);
    idle_from_ns_ = record.end_ns;
    const auto ran = [&](int64_t from_ns, int64_t to_ns) {
      timeline_->Push(from_ns, to_ns, 0, /*is_gc=*/true, record.type);
    };
    ran(ForOff(record.time_ns, record.end_ns, ran,
               [&](const OffSpan& off) {
                 timeline_->PushOff(off, 0, /*is_gc=*/true, record.type);
               }),
        record.end_ns);
  }
  NoteIdle(idle_from_ns_, event_->begin_ns);
  idle_from_ns_ = event_->end_ns;
}

// Nothing occupied the loop meanwhile.
void EdgBuilder::NoteIdle(int64_t from_ns, int64_t to_ns) {
  ForOff(
      from_ns, to_ns, [](int64_t, int64_t) {},
      [&](const OffSpan& off) { timeline_->NoteIdleOff(off); });
}

// The records of an event that is missing: a request that starts or ends here
// cannot be told from beginning to end.
void EdgBuilder::OnBreak() {
  for (const InnerRecord& record : stream_->orphans()) {
    // When it did not run is not known.
    if (record.kind == RecordKind::kGc) CountGc(record, {});
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

void EdgBuilder::CountGc(const InnerRecord& record,
                         std::span<const OffSpan> off) {
  const auto ns = static_cast<double>(record.end_ns - record.time_ns);
  const int64_t ran_ns = RanFor(off, record.time_ns, record.end_ns);
  if (watcher_ != nullptr) watcher_->OnGc(record, ran_ns);
  ++counts_.gc_count[record.type];
  counts_.gc_ns[record.type] += ns;
  counts_.gc_off_ns += ns - static_cast<double>(ran_ns);
  ++counts_.gc_reason_count[record.aux];
  counts_.gc_reason_ns[record.aux] += ns;
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
  if (watcher_ != nullptr) {
    watcher_->OnOwner(graph.owner, record.aux, requests_.At(request).ordinal);
  }
  graph.kind = static_cast<RequestKind>(record.type);
  if (graph.kind == RequestKind::kHttp1 && event_->fd != kNoFd) {
    graph.fd = event_->fd;
  }
  if (graph.kind != RequestKind::kCustom) graph.received = record.number;
  if (const auto* const connection = connections_.OfFd(event_->fd)) {
    graph.link = connection->link;
    graph.session = connection->number;
    // What had come before the last answer was left unread: of a body, say.
    if (graph.kind == RequestKind::kHttp1 &&
        connection->answered_ns > graph.ready_ns &&
        connection->answered_ns <= event_->latest_ns) {
      graph.ready_ns = std::min(event_->latest_ns, event_->begin_ns);
      graph.ready_kind = ReadyKind::kUpperBound;
    }
  }
  if (graph.kind != RequestKind::kCustom && event_->fd != kNoFd) {
    const auto* const before = connections_.OfFd(event_->fd);
    const bool kept = before != nullptr && !before->served.empty();
    graph.connection = event_->new_connection ? ConnectionUse::kNew
                       : kept                 ? ConnectionUse::kKept
                                              : ConnectionUse::kUnknown;
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
  trail_.Clear();
  connections_.Clear();
  processes_.clear();
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
