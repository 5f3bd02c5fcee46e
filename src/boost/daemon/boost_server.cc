#include "boost/daemon/boost_server.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "boost/daemon/client_thread.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

// New connections that are looked at: as many at once, and one a millisecond
// in the long run. A flood of them costs the daemon, and so its clients,
// little; the others wait in the kernel.
constexpr int64_t kAcceptBurst = 64;
constexpr int64_t kAcceptIntervalNs = 1'000'000;
constexpr int kAcceptsInARow = 8;
// Without a free descriptor, accepting is tried again after this.
constexpr int64_t kNoDescriptorNs = 100'000'000;
// Nor are more accepted while so many wait to be closed.
constexpr size_t kMostClosing = 64;

constexpr int kSourceBits = 3;

std::string Describe(const ucred& peer) {
  return absl::StrCat("process ", peer.pid, " of user ", peer.uid);
}

// Zeros, or ascending.
bool IsAscending(const Frequencies& frequencies) {
  return std::ranges::all_of(frequencies, [](auto khz) { return khz == 0; }) ||
         (frequencies[0] > 0 && std::ranges::is_sorted(frequencies));
}

template <typename Message>
std::span<const std::byte> BytesOf(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}

}  // namespace

absl::StatusOr<std::unique_ptr<BoostServer>> BoostServer::Start(
    const Options& options, const LocalListener* listener, Arbiter* arbiter,
    EventLog* log, SocketCloser* closer) {
  TicksPerNs();  // its first call sleeps
  std::unique_ptr<BoostServer> server(
      new BoostServer(options, listener, arbiter, log, closer));
  if (server->epoll_.get() < 0 || server->timer_.get() < 0) {
    return absl::ErrnoToStatus(errno, "epoll and timer");
  }
  absl::Status status = server->Watch(listener->fd(), Source::kListener);
  if (status.ok()) status = server->Watch(server->timer_.get(), Source::kTimer);
  if (!status.ok()) return status;
  return server;
}

BoostServer::BoostServer(const Options& options, const LocalListener* listener,
                         Arbiter* arbiter, EventLog* log, SocketCloser* closer)
    : options_(options),
      listener_(listener),
      arbiter_(arbiter),
      log_(log),
      closer_(closer),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      accepts_(kAcceptIntervalNs, kAcceptBurst),
      throttle_lines_(/*interval_ns=*/1'000'000'000, /*burst=*/1) {}

BoostServer::~BoostServer() {
  const int64_t now_ns = MonotonicNs();
  for (auto& [id, connection] : connections_) {
    if (connection->page != nullptr) {
      arbiter_->Leave(id, now_ns);
      // The client's next request rings, and so finds the socket closed.
      connection->page->armed.store(1, std::memory_order_seq_cst);
    }
    closer_->Close(std::move(connection->socket));
  }
}

absl::Status BoostServer::Run(int stop_fd) {
  if (absl::Status status = Watch(stop_fd, Source::kStop); !status.ok()) {
    return status;
  }
  std::array<epoll_event, 64> events;
  for (;;) {
    SetTimer();
    const int count =
        epoll_wait(epoll_.get(), events.data(), events.size(), -1);
    if (count < 0 && errno != EINTR) {
      return absl::ErrnoToStatus(errno, "epoll_wait");
    }
    for (int i = 0; i < count; ++i) {
      const uint64_t data = events[i].data.u64;
      const auto source =
          static_cast<Source>(data & ((uint64_t{1} << kSourceBits) - 1));
      if (source == Source::kStop) return absl::OkStatus();
      Handle(source, static_cast<ConnectionId>(data >> kSourceBits),
             MonotonicNs());
    }
    HandleDues(MonotonicNs());
  }
}

absl::Status BoostServer::Watch(int fd, Source source, ConnectionId id, int how,
                                uint32_t events) {
  epoll_event event{};
  event.events = events;
  // Its edges are all that is wanted of a doorbell. It is never read: a client
  // could make that block.
  if (source == Source::kDoorbell) event.events |= EPOLLET;
  event.data.u64 = uint64_t{id} << kSourceBits | static_cast<uint64_t>(source);
  if (epoll_ctl(epoll_.get(), how, fd, &event) != 0) {
    return absl::ErrnoToStatus(errno, "epoll_ctl");
  }
  return absl::OkStatus();
}

void BoostServer::Handle(Source source, ConnectionId id, int64_t now_ns) {
  if (source == Source::kListener) Accept(now_ns);
  if (source == Source::kTimer) {
    uint64_t expirations = 0;  // unread, it would wake us for ever
    if (read(timer_.get(), &expirations, sizeof(expirations)) > 0) {
      timer_ns_ = 0;
    }
  }
  Connection* const connection = Find(id);
  if (connection == nullptr) return;
  if (source == Source::kSocket) OnMessage(id, *connection, now_ns);
  if (source == Source::kDoorbell) OnRing(id, *connection, now_ns);
}

BoostServer::Connection* BoostServer::Find(ConnectionId id) {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second.get();
}

void BoostServer::HandleDues(int64_t now_ns) {
  while (!dues_.empty() && dues_.begin()->first <= now_ns) {
    const ConnectionId id = dues_.begin()->second;
    dues_.erase(dues_.begin());
    if (id == kHouse) {
      KeepHouse(now_ns);
      continue;
    }
    Connection& connection = *Find(id);  // dropping it removes it from dues_
    connection.due_ns = 0;
    if (connection.page == nullptr) {
      ++counters_.timeouts;
      Drop(id, "dropped: it did not say a word", now_ns);
    } else {
      Unmute(id, connection, now_ns);
    }
  }
}

void BoostServer::KeepHouse(int64_t now_ns) {
  if (!listening_ && accepts_.next_ns() <= now_ns) {
    Watch(listener_->fd(), Source::kListener, kHouse, EPOLL_CTL_MOD)
        .IgnoreError();
    listening_ = true;
  }
  if (settling_) {
    settling_ = false;
    if (!arbiter_->Settle(now_ns)) SettleSoon(now_ns);
  }
}

void BoostServer::SetTimer() {
  const int64_t due_ns = dues_.empty() ? 0 : dues_.begin()->first;
  if (due_ns == timer_ns_) return;
  const itimerspec spec{{0, 0}, TimespecOf(due_ns)};  // zero: off
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
  timer_ns_ = due_ns;
}

Verdict BoostServer::MayConnect(const ucred& peer) const {
  if (std::ranges::find(options_.allowed_users, peer.uid) ==
      options_.allowed_users.end()) {
    return Verdict::kUser;
  }
  const auto own = connections_of_user_.find(peer.uid);
  const size_t count = own == connections_of_user_.end() ? 0 : own->second;
  return connections_.size() >= options_.max_connections ||
                 count >= options_.max_connections_of_user
             ? Verdict::kFull
             : Verdict::kWelcome;
}

void BoostServer::Accept(int64_t now_ns) {
  // A few, then the clients' turn: the rest is still readable.
  for (int i = 0; i < kAcceptsInARow; ++i) {
    if (now_ns < accepts_.next_ns()) {
      PauseListening(accepts_.next_ns() + kAcceptsInARow * kAcceptIntervalNs);
      return;
    }
    if (closer_->waiting() >= kMostClosing) {
      PauseListening(now_ns + kNoDescriptorNs);
      return;
    }
    OwnedFd socket(accept4(listener_->fd(), nullptr, nullptr,
                           SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.get() < 0) {
      if (errno != EMFILE && errno != ENFILE && errno != ENOMEM) return;
      log_->Write(absl::StrCat("cannot accept: ", std::strerror(errno)),
                  now_ns);
      PauseListening(now_ns + kNoDescriptorNs);
      return;
    }
    accepts_.Take(now_ns);
    const ucred peer = PeerOf(socket.get()).value_or(ucred{0, UINT32_MAX, 0});
    const Verdict verdict = MayConnect(peer);
    if (verdict != Verdict::kWelcome) {
      Refuse(socket.get(), peer, verdict, now_ns);
      closer_->Close(std::move(socket));
      continue;
    }
    const ConnectionId id = next_id_++;
    if (!Watch(socket.get(), Source::kSocket, id).ok()) {
      closer_->Close(std::move(socket));
      continue;
    }
    const int64_t due_ns = now_ns + options_.hello_timeout_ns;
    dues_.insert({due_ns, id});
    ++connections_of_user_[peer.uid];
    connections_.emplace(
        id,
        new Connection{.socket = std::move(socket),
                       .peer = peer,
                       .rings = RateLimit(arbiter_->limits().min_interval_ns,
                                          2 * Arbiter::kBurst),
                       .due_ns = due_ns});
  }
}

void BoostServer::PauseListening(int64_t until_ns) {
  Watch(listener_->fd(), Source::kListener, kHouse, EPOLL_CTL_MOD, 0)
      .IgnoreError();
  listening_ = false;
  dues_.insert({until_ns, kHouse});
}

void BoostServer::OnMessage(ConnectionId id, Connection& connection,
                            int64_t now_ns) {
  Hello hello;
  const Received received = ReceiveMessage(
      connection.socket.get(), std::as_writable_bytes(std::span(&hello, 1)));
  using What = Received::What;
  if (received.what == What::kNothing) return;
  if (received.what == What::kEnd) {
    Drop(id, connection.page ? "left" : "", now_ns);
    return;
  }
  if (connection.page != nullptr) {
    ++counters_.expelled;
    Drop(id, "expelled: it spoke after its greeting", now_ns);
    return;
  }
  const bool whole = received.what == What::kMessage &&
                     received.size == sizeof(hello) &&
                     hello.magic == kBoostdMagic;
  Verdict verdict = whole ? Verdict::kWelcome : Verdict::kGarbage;
  if (whole && hello.version != kBoostdVersion) verdict = Verdict::kVersion;
  if (verdict != Verdict::kWelcome) {
    Refuse(connection.socket.get(), connection.peer, verdict, now_ns);
    Drop(id, "", now_ns);
    return;
  }
  Greet(id, connection, hello, now_ns);
}

void BoostServer::Refuse(int fd, const ucred& peer, Verdict verdict,
                         int64_t now_ns) {
  ++counters_.refused[static_cast<size_t>(verdict)];
  // It may have gone, and need not listen.
  SendMessage(fd, BytesOf(AnswerHead{.verdict = verdict})).IgnoreError();
  log_->Write(absl::StrCat("refused ", Describe(peer), ": ", TextOf(verdict)),
              now_ns);
}

void BoostServer::Greet(ConnectionId id, Connection& connection,
                        const Hello& hello, int64_t now_ns) {
  if (hello.kind == HelloKind::kStatus) {
    SendStatus(connection, now_ns);
    Drop(id, "", now_ns);
    return;
  }
  Verdict verdict = Verdict::kWelcome;
  if (hello.kind != HelloKind::kBoost) verdict = Verdict::kGarbage;
  if (!IsAscending(hello.frequencies_khz)) verdict = Verdict::kFrequencies;
  std::optional<pid_t> tid;
  if (verdict == Verdict::kWelcome) {
    tid = ThreadOf(connection.peer.pid, hello.loop_tid);
    if (!tid) verdict = Verdict::kThread;
  }
  if (verdict != Verdict::kWelcome) {
    Refuse(connection.socket.get(), connection.peer, verdict, now_ns);
    Drop(id, "", now_ns);
    return;
  }
  const absl::Status status =
      Admit(id, connection, arbiter_->DomainsOf(AffinityOf(*tid)));
  if (!status.ok()) {
    Drop(id, absl::StrCat("not admitted: ", status.message()), now_ns);
    return;
  }
  ++counters_.joined;
  log_->Write(absl::StrCat("client ", id, " joined: thread ", *tid, " of ",
                           Describe(connection.peer)),
              now_ns);
}

absl::Status BoostServer::Admit(ConnectionId id, Connection& connection,
                                std::vector<size_t> domains) {
  const absl::StatusOr<int> made = MakeClientMemory();
  if (!made.ok()) return made.status();
  const OwnedFd memory(*made);
  absl::StatusOr<MappedClientPage> page = MapClientMemory(memory.get());
  if (!page.ok()) return page.status();
  OwnedFd doorbell(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (doorbell.get() < 0) return absl::ErrnoToStatus(errno, "eventfd");
  (*page)->armed.store(1, std::memory_order_seq_cst);

  const Actuator& actuator = arbiter_->actuator();
  Welcome welcome;
  welcome.max_level = static_cast<uint32_t>(arbiter_->limits().max_level);
  welcome.frequencies_khz = actuator.frequencies();
  welcome.domains = static_cast<uint32_t>(domains.size());
  welcome.call_ns = actuator.call_ns();
  welcome.transition_ns = actuator.transition_ns();
  welcome.min_interval_ns = arbiter_->limits().min_interval_ns;
  const std::string description = actuator.description();
  std::ranges::copy(description.substr(0, welcome.actuator.size() - 1),
                    welcome.actuator.begin());
  if (absl::Status status = Watch(doorbell.get(), Source::kDoorbell, id);
      !status.ok()) {
    return status;
  }
  connection.doorbell = std::move(doorbell);
  const std::array fds = {memory.get(), connection.doorbell.get()};
  if (absl::Status status =
          SendMessage(connection.socket.get(), BytesOf(welcome), fds);
      !status.ok()) {
    return status;
  }
  connection.page = *std::move(page);
  arbiter_->Join(id, std::move(domains));
  dues_.erase({connection.due_ns, id});
  connection.due_ns = 0;
  return absl::OkStatus();
}

void BoostServer::SendStatus(const Connection& connection,
                             int64_t now_ns) const {
  BoostdStatus status = counters_;
  status.clients = static_cast<uint64_t>(std::ranges::count_if(
      connections_,
      [](const auto& entry) { return entry.second->page != nullptr; }));
  status.requests = arbiter_->requests();
  status.boosts = arbiter_->boosts();
  status.actuator_errors = arbiter_->actuator_errors();
  status.domains = static_cast<uint32_t>(arbiter_->domain_count());
  status.level_ns = arbiter_->TimeInLevels(now_ns);
  SendMessage(connection.socket.get(), BytesOf(status)).IgnoreError();
}

void BoostServer::Drop(ConnectionId id, const std::string& why,
                       int64_t now_ns) {
  Connection& connection = *Find(id);
  if (!why.empty()) {
    log_->Write(
        absl::StrCat("client ", id, " (", Describe(connection.peer), ") ", why),
        now_ns);
  }
  // Until it is closed, which may take a while.
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.socket.get(), nullptr);
  // The client may keep the doorbell open, and ring on: only this ends it.
  if (connection.doorbell.get() >= 0) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.doorbell.get(), nullptr);
  }
  if (connection.page != nullptr) {
    arbiter_->Leave(id, now_ns);
    if (!arbiter_->Settle(now_ns)) SettleSoon(now_ns);
  }
  if (connection.due_ns != 0) dues_.erase({connection.due_ns, id});
  const auto own = connections_of_user_.find(connection.peer.uid);
  if (--own->second == 0) connections_of_user_.erase(own);
  closer_->Close(std::move(connection.socket));
  connections_.erase(id);
}

}  // namespace edgewise
