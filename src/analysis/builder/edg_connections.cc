// For whom the bytes are that come on a connection. An event is registered by
// whoever asked for it (VEE'19, section 4.1), and not by whoever opened the
// connection on which it comes.

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "analysis/builder/edg_builder.h"

namespace edgewise {
namespace {

// Parsing takes less.
constexpr int64_t kNoticedNs = 200'000;

}  // namespace

void EdgBuilder::OnConnection(const InnerRecord& record) {
  const auto fd = static_cast<int32_t>(record.number);
  const auto role = static_cast<ConnectionRole>(record.type);
  if (fd < 0) return OnProcess(record);
  const bool reads = connection_ != nullptr;
  ConnectionTable::Connection* const connection = connections_.Begin(
      fd, record.aux,
      role <= ConnectionRole::kMaxValue ? role : ConnectionRole::kAccepted,
      record.text);
  // One that is accepted or connected in it has no bytes yet.
  connection_ =
      reads && fd != event_->fd ? connections_.OfFd(event_->fd) : nullptr;
  if (role == ConnectionRole::kChild) {
    connection->dependency = dependencies_->InternWork(
        DependencyKind(EventType::kChild), PeerOf(*connection));
    return;
  }
  if (role == ConnectionRole::kOpened) {
    const Registrant opener = WhoAsks(record);
    connection->opener = opener.request;
    connection->opener_node = opener.node;
    connection->opener_unsure = opener.inferred;
  }
  // Until it is known what is spoken there.
  const std::string_view peer = PeerOf(*connection);
  const bool local = peer.starts_with('/') || peer.starts_with('@');
  connection->dependency = dependencies_->Intern(local ? "unix" : "tcp", peer);
}

EdgBuilder::Registrant EdgBuilder::WhoAsks(const InnerRecord& record) const {
  if (requests_.IsOpen(slice_.request)) {
    return {slice_.request, slice_.node, slice_.unsure};
  }
  // A tick or a timer of a request, in a slice that is not its own.
  return StepOf(FindById(record.async_id));
}

std::string_view EdgBuilder::PeerOf(
    const ConnectionTable::Connection& connection) const {
  const std::string* const peer = stream_->StringOf(connection.peer);
  return peer != nullptr ? std::string_view(*peer) : std::string_view();
}

// After the connections that began in the event.
void EdgBuilder::NoteAddresses() {
  for (const ConnectionAddress& each : event_->addresses) {
    ConnectionTable::Connection* const connection =
        connections_.OfNumber(each.connection);
    if (connection == nullptr) continue;
    connection->ends.Set(each.side, each.address);
    connection->link =
        connection->ends.Link(connection->role, stream_->meta().network);
  }
}

EdgBuilder::Registrant EdgBuilder::StepOf(
    const RegistrationIndex::Entry* entry) const {
  return entry != nullptr
             ? Registrant{entry->request, entry->node, entry->unsure}
             : Registrant{};
}

EdgBuilder::Registrant EdgBuilder::WhoRegisteredEvent() {
  connection_ =
      BringsBytes(event_->type) ? connections_.OfFd(event_->fd) : nullptr;
  several_wait_ = false;
  goes_unseen_.reset();
  first_asker_ = {};
  if (connection_ != nullptr) {
    // A stream of HTTP/2 is a resource of its own.
    const Registrant stream = connection_->multiplexed
                                  ? StepOf(FindById(event_->async_id))
                                  : Registrant{};
    if (stream.request.generation != 0 &&
        connection_->Find(stream.request) != nullptr) {
      return LatestAsking(stream.request, stream.node);
    }
    const bool opened = connection_->role == ConnectionRole::kOpened;
    if (!opened && connection_->protocol == RequestKind::kHttp2) {
      const Registrant served = StepOf(FindById(event_->async_id));
      if (requests_.IsOpen(served.request)) return LatestStep(served.request);
    }
    const Registrant owner = opened ? WhoseAnswer() : WhoseBody(*connection_);
    if (owner.request.generation != 0) return owner;
    if (connection_->IsAskedByKnown() && !continues_read_) return {};
  }
  if (event_->type == EventType::kConnect) {
    // Its resource was made in the same tick, right before it was opened.
    const ConnectionTable::Connection* const opened =
        connections_.OfFd(event_->fd);
    if (opened != nullptr && requests_.IsOpen(opened->opener)) {
      return {opened->opener, opened->opener_node, opened->opener_unsure};
    }
  }
  Registrant owner = StepOf(FindById(event_->async_id));
  // Native code (a session of HTTP/2) sets immediates for what it had before. A
  // step that was over by the pass before has not asked for this one.
  if (event_->type == EventType::kImmediate &&
      requests_.IsOpen(owner.request)) {
    const RequestGraph& graph = GraphOf(owner.request);
    if (graph.At(owner.node).end_ns < event_->ready_ns) {
      owner.node = graph.LastIndex();
    }
  }
  return owner;
}

// Where several wait, the promises that are resumed tell, or on a patched Node
// the functions that are called. Where none is, answers come in the order of
// their questions, unless the protocol has none.
EdgBuilder::Registrant EdgBuilder::WhoseAnswer() {
  connection_->ForgetAnswered();
  const std::vector<ConnectionTable::Asker>& askers = connection_->askers;
  if (askers.empty()) return {};
  if (connection_->multiplexed) {
    const ConnectionTable::Asker* const only = connection_->OnlyWaiting();
    return only != nullptr && requests_.IsOpen(only->request)
               ? Registrant{only->request, only->node}
               : Registrant{};
  }
  several_wait_ = askers.size() > 1 || askers.front().several;
  first_asker_ = askers.front().request;
  if (askers.size() == 1) {
    const ConnectionTable::Asker& asker = askers.front();
    return requests_.IsOpen(asker.request) ? StepOf(asker) : Registrant{};
  }
  if (!connection_->ordered || has_edges_) return {};
  // Of a request that has ended it is not known that it was answered.
  const auto next =
      std::find_if(askers.begin(), askers.end(),
                   [this](const ConnectionTable::Asker& asker) {
                     return asker.waits() && (asker.request.generation == 0 ||
                                              requests_.IsOpen(asker.request));
                   });
  if (next == askers.end()) return {};
  if (ResumesAnAsker()) {
    // What it waited for has come before the answers of those that are resumed.
    const bool comes_first = next->request.generation != 0 &&
                             !Resumes(next->request) &&
                             GraphOf(next->request).LastIndex() == next->node;
    if (!comes_first) return {};
  }
  if (next->request.generation != 0) {
    return {next->request, next->node, /*inferred=*/true};
  }
  connection_->Answered(static_cast<size_t>(next - askers.begin()),
                        event_->sequence);
  return {};
}

bool EdgBuilder::ResumesAnAsker() const {
  return AnyResumed([this](RequestRef request) {
    return connection_->Find(request) != nullptr;
  });
}

bool EdgBuilder::Resumes(RequestRef request) const {
  return AnyResumed([request](RequestRef other) { return other == request; });
}

// Whether a function of another request may be what took so long before a
// promise goes on in the event: nothing shows that it was called. The same for
// all promises: who goes on by one of them is seen.
bool EdgBuilder::MayHaveCalledAnother() {
  if (connection_ == nullptr || !several_wait_ || has_edges_) return false;
  if (shared_end_ns_ - turn_.begin_ns <= kNoticedNs) return false;
  if (goes_unseen_.has_value()) return *goes_unseen_;
  absl::flat_hash_set<uint32_t> resumed;  // slots
  for (const InnerRecord& record : event_->inner) {
    if (record.kind != RecordKind::kSlice) continue;
    const RegistrationIndex::Entry* const owner = OwnerOf(record);
    if (owner != nullptr) resumed.insert(owner->request.slot);
  }
  const std::vector<ConnectionTable::Asker>& askers = connection_->askers;
  goes_unseen_ =
      std::any_of(askers.begin(), askers.end(), [&](const auto& asker) {
        const bool perhaps_now =
            asker.waits() || asker.resumed_in == event_->sequence;
        const bool seen = requests_.IsOpen(asker.request) &&
                          resumed.contains(asker.request.slot);
        return perhaps_now && !seen;
      });
  return *goes_unseen_;
}

EdgBuilder::Registrant EdgBuilder::WhoseBody(
    const ConnectionTable::Connection& connection) const {
  const auto is_open = [this](RequestRef ref) { return requests_.IsOpen(ref); };
  if (connection.served.empty()) return {};
  const RequestRef latest = connection.served.back();
  // Streams of HTTP/2 come side by side; a body of HTTP/1.1 is that of the
  // request that came last.
  const bool alone = connection.protocol == RequestKind::kHttp1 ||
                     std::count_if(connection.served.begin(),
                                   connection.served.end(), is_open) == 1;
  if (!alone || !is_open(latest)) return {};
  if (connection.protocol == RequestKind::kHttp2) return LatestStep(latest);
  return {latest, connection.read_node};
}

// Of a stream of HTTP/2 it is not told what came: of a body, or that more of
// its answer may leave. Its latest step waits for either.
EdgBuilder::Registrant EdgBuilder::LatestStep(RequestRef request) const {
  return {request, requests_.At(request).state.LastIndex()};
}

// The question of `request` that the event may have answered, or null.
const ConnectionTable::Asker* EdgBuilder::AnsweredHere(
    RequestRef request) const {
  if (connection_ == nullptr) return nullptr;
  const ConnectionTable::Asker* const asker = connection_->Find(request);
  return asker != nullptr &&
                 (asker->waits() || asker->resumed_in == event_->sequence)
             ? asker
             : nullptr;
}

EdgBuilder::Registrant EdgBuilder::LatestAsking(RequestRef request,
                                                uint32_t node) {
  if (connection_ == nullptr) return {request, node};
  const ConnectionTable::Asker* const asker = connection_->Find(request);
  if (asker == nullptr) return {request, node};
  const Registrant asked = StepOf(*asker);
  return asked.node > node ? asked : Registrant{request, node};
}

// What steps of one request have asked may be one question or several, but for
// HTTP/1.1. What has come before the last of them is no answer to that.
EdgBuilder::Registrant EdgBuilder::StepOf(const ConnectionTable::Asker& asker) {
  const bool one =
      !asker.several || dependencies_->At(asker.dependency).kind == "http";
  if (one) return {asker.request, asker.node, asker.unsure};
  const bool before =
      GraphOf(asker.request).At(asker.node).begin_ns > event_->ready_ns;
  if (before) return {asker.request, asker.first};
  return {asker.request, asker.node, /*inferred=*/true};
}

}  // namespace edgewise
