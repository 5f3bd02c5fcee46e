#include "analysis/builder/connection_table.h"

#include <algorithm>
#include <utility>

namespace edgewise {
namespace {

// One of several, if there is but one.
struct Candidate {
  const ConnectionTable::Asker* first = nullptr;
  int count = 0;

  void Note(const ConnectionTable::Asker* asker) {
    if (count++ == 0) first = asker;
  }
  const ConnectionTable::Asker* Only() const {
    return count == 1 ? first : nullptr;
  }
};

}  // namespace

bool ConnectionTable::Connection::Ask(const Asker& asker, bool another) {
  if (answered && !multiplexed) {
    const bool shared = askers.size() > 1;
    std::erase_if(askers, [shared](const Asker& earlier) {
      return !shared || !earlier.waits();
    });
  }
  answered = false;
  // In between nobody else has asked: it is more of the same.
  const bool more = !another && !askers.empty() && askers.back().waits() &&
                    askers.back().request == asker.request;
  if (more) {
    const Asker before = std::exchange(askers.back(), asker);
    askers.back().first = before.first;
    askers.back().asked_ns = before.asked_ns;
    if (askers.back().context == 0) askers.back().context = before.context;
    askers.back().several = before.several || before.node != asker.node;
    return false;
  }
  if (askers.size() >= kMaxAskers) askers.erase(askers.begin());
  askers.push_back(asker);
  askers.back().first = asker.node;
  return true;
}

void ConnectionTable::Connection::Resumed(RequestRef request, uint32_t node,
                                          uint64_t event) {
  if (role == ConnectionRole::kAccepted) {
    if (!served.empty() && served.back() == request) read_node = node;
    return;
  }
  for (size_t i = 0; i < askers.size(); ++i) {
    if (askers[i].request != request) continue;
    // Several steps follow one answer.
    if (askers[i].resumed_in == event) return;
    if (askers[i].waits()) return Answered(i, event);
  }
}

void ConnectionTable::Connection::Answered(size_t place, uint64_t event) {
  for (size_t i = ordered ? 0 : place; i <= place; ++i) {
    if (askers[i].waits()) askers[i].resumed_in = event;
  }
}

void ConnectionTable::Connection::ForgetAnswered() {
  if (askers.size() < 2 || multiplexed) return;
  const bool some_wait =
      std::any_of(askers.begin(), askers.end(),
                  [](const Asker& asker) { return asker.waits(); });
  const Asker last = askers.back();
  for (const Asker& asker : askers) {
    if (!asker.waits()) answered_last = asker;
  }
  std::erase_if(askers, [](const Asker& asker) { return !asker.waits(); });
  if (!some_wait) askers.push_back(last);
}

const ConnectionTable::Asker* ConnectionTable::Connection::OnlyWaiting() const {
  const Asker* only = nullptr;
  for (const Asker& asker : askers) {
    if (!asker.waits()) continue;
    if (only != nullptr && only->request != asker.request) return nullptr;
    if (only == nullptr) only = &asker;
  }
  return only;
}

const ConnectionTable::Asker* ConnectionTable::Connection::Find(
    RequestRef request) const {
  const Asker* found = nullptr;
  for (const Asker& asker : askers) {
    if (asker.request != request) continue;
    found = &asker;
    if (asker.waits()) break;
  }
  if (found == nullptr && answered_last.request == request) {
    return &answered_last;
  }
  return found;
}

void ConnectionTable::Connection::Enter(uint64_t async_id, uint64_t event) {
  if (!multiplexed || async_id == 0) return;
  for (Asker& asker : askers) {
    if (asker.stream_id == async_id) asker.entered_in = event;
  }
}

const ConnectionTable::Asker* ConnectionTable::Connection::StreamOf(
    RequestRef request, uint64_t event) const {
  // Of its streams: the one that runs; the one that waits; the only one, of
  // whose answer more comes.
  Candidate entered;
  Candidate waiting;
  Candidate any;
  for (const Asker& asker : askers) {
    if (asker.request != request) continue;
    any.Note(&asker);
    if (asker.entered_in == event) entered.Note(&asker);
    if (asker.waits() || asker.resumed_in == event) waiting.Note(&asker);
  }
  if (entered.count > 0) return entered.Only();
  return waiting.count > 0 ? waiting.Only() : any.Only();
}

bool ConnectionTable::Connection::IsAskedByKnown() const {
  return std::any_of(askers.begin(), askers.end(), [](const Asker& asker) {
    return asker.request.generation != 0;
  });
}

ConnectionTable::Connection* ConnectionTable::OfFd(int32_t fd) {
  if (fd == kNoFd) return nullptr;
  const auto it = by_fd_.find(fd);
  return it != by_fd_.end() ? &it->second : nullptr;
}

ConnectionTable::Connection* ConnectionTable::OfNumber(uint32_t number) {
  const auto it = fd_of_number_.find(number);
  return it != fd_of_number_.end() ? OfFd(it->second) : nullptr;
}

ConnectionTable::Connection* ConnectionTable::Begin(int32_t fd, uint32_t number,
                                                    ConnectionRole role,
                                                    uint32_t peer) {
  if (by_fd_.size() >= kMaxConnections) Clear();
  Connection& connection = by_fd_[fd];
  fd_of_number_.erase(connection.number);
  connection = {};
  connection.number = number;
  connection.fd = fd;
  connection.role = role;
  connection.peer = peer;
  if (number != 0) fd_of_number_[number] = fd;
  return &connection;
}

void ConnectionTable::End(uint32_t number) {
  const auto it = fd_of_number_.find(number);
  if (it == fd_of_number_.end()) return;
  by_fd_.erase(it->second);
  fd_of_number_.erase(it);
}

ConnectionTable::Asker ConnectionTable::TakeWaiting(uint32_t wait) {
  const auto it = waiting_.find(wait);
  if (it == waiting_.end()) return {};
  const Asker asker = it->second;
  waiting_.erase(it);
  return asker;
}

ConnectionTable::Connection& ConnectionTable::Accepted(int32_t fd) {
  Connection* const known = OfFd(fd);
  return known != nullptr ? *known
                          : *Begin(fd, 0, ConnectionRole::kAccepted, 0);
}

void ConnectionTable::Clear() {
  by_fd_.clear();
  fd_of_number_.clear();
  waiting_.clear();
}

}  // namespace edgewise
