// The part of the event tracker that writes down connections.

#include <bit>

#include "recorder/event_tracker.h"

namespace edgewise {

// Node runs a tick when all promises are done, and so in the event's last
// slice: an earlier one may have asked for it.
void EventTracker::FollowTick() {
  if (vm_ != nullptr || !open_.entered) return;
  if (const uint64_t id = ids_.execution(); id > open_.counter) PartBegin(id);
}

void EventTracker::ConnectionBegan(const Connection& connection, int fd,
                                   uint32_t peer) {
  FollowTick();
  PushConnection(connection.number, connection.role, fd, peer,
                 ids_.execution());
}

void EventTracker::ConnectionAt(const Connection& connection, AddressSide side,
                                const SocketAddress& address) {
  recorder_->PushInner([&](Record& record) {
    PutAddress(address, side, connection.number, &record);
  });
}

void EventTracker::ChildBegan(uint32_t number, int fd, uint64_t id,
                              uint32_t program) {
  PushConnection(number, ConnectionRole::kChild, fd, program, id);
}

void EventTracker::PushConnection(uint32_t number, ConnectionRole role, int fd,
                                  uint32_t peer, uint64_t id) {
  PushLeft();
  const Moment now = Now();
  recorder_->PushInner([&](Record& record) {
    record.ticks = now.ticks;
    record.kind = RecordKind::kConnection;
    record.type = static_cast<uint8_t>(role);
    record.duration = std::bit_cast<float>(static_cast<uint32_t>(fd));
    record.ready_before = std::bit_cast<float>(peer);
    record.aux = number;
    PutIds(record, id, now.counter);
  });
}

bool EventTracker::Asks(const Connection& connection) {
  if (vm_ != nullptr) PushLeft();  // Which slice runs?
  FollowTick();
  return connection.answered || connection.asked_sequence != slice_sequence_ ||
         connection.asked_id != ids_.execution();
}

void EventTracker::PushQuestion(Connection* connection, uint32_t operation) {
  connection->answered = false;
  connection->asked_sequence = slice_sequence_;
  connection->asked_id = ids_.execution();
  PushUse({.kind = UseKind::kQuestion,
           .connection = connection->number,
           .number = static_cast<uint32_t>(connection->written_bytes),
           .other = operation});
}

void EventTracker::ConnectionEnded(const Connection& connection) {
  PushUse({.kind = UseKind::kClosed,
           .connection = connection.number,
           .number = static_cast<uint32_t>(connection.written_bytes)});
}

void EventTracker::PushUse(const Use& use) {
  PushLeft();
  const Moment now = Now();
  recorder_->PushInner([&](Record& record) {
    record.ticks = now.ticks;
    record.kind = RecordKind::kUse;
    record.type = static_cast<uint8_t>(use.kind);
    record.duration = std::bit_cast<float>(use.number);
    record.ready_before = std::bit_cast<float>(use.other);
    record.aux = use.connection;
    PutIds(record, use.id.value_or(now.execution_id), now.counter);
  });
}

}  // namespace edgewise
