#include "analysis/connection_table.h"

#include <algorithm>

namespace edgewise {

bool ConnectionTable::Connection::Ask(const Asker& asker) {
  if (answered && !multiplexed) {
    const bool shared = askers.size() > 1;
    std::erase_if(askers, [shared](const Asker& earlier) {
      return !shared || earlier.resumed;
    });
  }
  answered = false;
  for (Asker& earlier : askers) {
    if (earlier.request != asker.request) continue;
    const bool again = earlier.resumed;
    earlier = asker;
    return again;
  }
  askers.push_back(asker);
  return true;
}

void ConnectionTable::Connection::Resumed(RequestRef request, uint32_t node) {
  if (role == ConnectionRole::kAccepted) {
    if (!served.empty() && served.back() == request) read_node = node;
    return;
  }
  for (Asker& asker : askers) {
    if (asker.request == request) asker.resumed = true;
  }
}

const ConnectionTable::Asker* ConnectionTable::Connection::OnlyWaiting() const {
  if (!multiplexed) return askers.size() == 1 ? &askers.front() : nullptr;
  const Asker* only = nullptr;
  for (const Asker& asker : askers) {
    if (asker.resumed) continue;
    if (only != nullptr) return nullptr;
    only = &asker;
  }
  return only;
}

const ConnectionTable::Asker* ConnectionTable::Connection::Find(
    RequestRef request) const {
  const auto found =
      std::find_if(askers.begin(), askers.end(),
                   [request](const Asker& a) { return a.request == request; });
  return found != askers.end() ? &*found : nullptr;
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

ConnectionTable::Connection& ConnectionTable::Accepted(int32_t fd) {
  Connection* const known = OfFd(fd);
  return known != nullptr ? *known
                          : *Begin(fd, 0, ConnectionRole::kAccepted, 0);
}

void ConnectionTable::Clear() {
  by_fd_.clear();
  fd_of_number_.clear();
}

}  // namespace edgewise
