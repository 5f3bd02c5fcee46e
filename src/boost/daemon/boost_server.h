#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boost/daemon/arbiter.h"
#include "boost/daemon/client_memory.h"
#include "boost/daemon/event_log.h"
#include "boost/daemon/local_socket.h"
#include "boost/daemon/protocol.h"
#include "boost/daemon/rate_limit.h"
#include "boost/daemon/socket_closer.h"

namespace edgewise {

// Lets processes without privilege ask for a frequency: the daemon's whole
// logic, in one thread and one epoll loop (docs/boostd.md).
//
// It trusts no client. What a client can reach is its own page and its own
// doorbell; the daemon never blocks on either, never reads the doorbell (its
// edges are enough) and looks at a page no more often than the client's rate
// allows. Everything a stranger can cause (connections, lines of the log) is
// limited as well. It closes no socket of a client itself, nor receives what
// brought descriptors: their last close is a stranger's to delay.
class BoostServer {
 public:
  struct Options {
    std::vector<uid_t> allowed_users;
    size_t max_connections = 256;
    size_t max_connections_of_user = 64;
    int64_t hello_timeout_ns = 1'000'000'000;
  };

  // All pointers must outlive the server; the closer the arbiter as well, whose
  // end restores the frequency.
  static absl::StatusOr<std::unique_ptr<BoostServer>> Start(
      const Options& options, const LocalListener* listener, Arbiter* arbiter,
      EventLog* log, SocketCloser* closer);

  // Every client is released, and sees the daemon's end.
  ~BoostServer();
  BoostServer(const BoostServer&) = delete;
  BoostServer& operator=(const BoostServer&) = delete;

  // Serves until `stop_fd` is readable.
  absl::Status Run(int stop_fd);

 private:
  using ConnectionId = uint32_t;  // never used again

  struct Connection {
    OwnedFd socket;
    ucred peer{};
    // The rest is of those that were welcomed.
    OwnedFd doorbell;
    MappedClientPage page;
    RateLimit rings;    // of the doorbell without a change
    uint64_t seen = 0;  // the last request that was answered
    // No token is left: the doorbell is not listened to until due_ns.
    bool muted = false;
    // Listening again reports the rings of before once more.
    bool reported = false;
    int64_t due_ns = 0;  // in dues_; 0: not
  };

  BoostServer(const Options& options, const LocalListener* listener,
              Arbiter* arbiter, EventLog* log, SocketCloser* closer);

  // What an epoll event is of; with the connection's id in epoll_event::data.
  enum class Source : uint64_t { kSocket, kDoorbell, kListener, kTimer, kStop };
  static constexpr ConnectionId kHouse = 0;  // in dues_: the server itself

  // epoll_ctl(); `how`: EPOLL_CTL_ADD or _MOD, `events`: 0, or EPOLLIN.
  absl::Status Watch(int fd, Source source, ConnectionId id = kHouse,
                     int how = EPOLL_CTL_ADD, uint32_t events = EPOLLIN);
  void Handle(Source source, ConnectionId id, int64_t now_ns);
  void HandleDues(int64_t now_ns);
  void KeepHouse(int64_t now_ns);
  void SetTimer();
  // nullptr: it is gone; an event may outlive its connection by one batch.
  Connection* Find(ConnectionId id);

  void Accept(int64_t now_ns);
  // Does not accept until `until_ns`.
  void PauseListening(int64_t until_ns);
  Verdict MayConnect(const ucred& peer) const;
  void OnMessage(ConnectionId id, Connection& connection, int64_t now_ns);
  void Refuse(int fd, const ucred& peer, Verdict verdict, int64_t now_ns);
  void Greet(ConnectionId id, Connection& connection, const Hello& hello,
             int64_t now_ns);
  // Gives the client its page and doorbell.
  absl::Status Admit(ConnectionId id, Connection& connection,
                     std::vector<size_t> domains);
  void SendStatus(const Connection& connection, int64_t now_ns) const;
  // `why`: for the log; empty: not worth a line.
  void Drop(ConnectionId id, const std::string& why, int64_t now_ns);

  // boost_server_requests.cc: what clients ask for in their pages.
  void OnRing(ConnectionId id, Connection& connection, int64_t now_ns);
  // Answers what the client asks for, as far as its rate allows. May drop it.
  void Look(ConnectionId id, Connection& connection, int64_t now_ns);
  void Mute(ConnectionId id, Connection& connection, int64_t until_ns,
            int64_t now_ns);
  void Unmute(ConnectionId id, Connection& connection, int64_t now_ns);
  void SettleSoon(int64_t now_ns);

  const Options options_;
  const LocalListener* const listener_;
  Arbiter* const arbiter_;
  EventLog* const log_;
  SocketCloser* const closer_;
  OwnedFd epoll_;
  OwnedFd timer_;
  absl::flat_hash_map<ConnectionId, std::unique_ptr<Connection>> connections_;
  absl::flat_hash_map<uid_t, size_t> connections_of_user_;
  // When which connection must be looked at: a greeting that does not come, a
  // client that may ask again. kHouse: the server's own.
  absl::btree_set<std::pair<int64_t, ConnectionId>> dues_;
  int64_t timer_ns_ = 0;  // what the timer is set to
  ConnectionId next_id_ = kHouse + 1;
  RateLimit accepts_;
  bool listening_ = true;
  bool settling_ = false;  // an actuator failed: it is tried again
  RateLimit throttle_lines_;
  BoostdStatus counters_;  // those that are not the arbiter's
};

}  // namespace edgewise
