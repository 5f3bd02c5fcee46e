// What clients ask for in their pages: the part of BoostServer that runs for
// every change of a level.

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "boost/daemon/boost_server.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

// Requests of one client that are answered in a row, before the others' turn.
constexpr int kRequestsInARow = 4;

constexpr int64_t kSettleNs = 1'000'000'000;

}  // namespace

void BoostServer::OnRing(ConnectionId id, Connection& connection,
                         int64_t now_ns) {
  if (connection.muted) return;
  const bool counts = !std::exchange(connection.reported, false);
  if (counts && !connection.rings.Take(now_ns)) {
    Mute(id, connection, connection.rings.next_ns(), now_ns);
    return;
  }
  Look(id, connection, now_ns);
}

void BoostServer::Look(ConnectionId id, Connection& connection,
                       int64_t now_ns) {
  ClientPage& page = *connection.page;
  bool armed = false;
  for (int answered = 0; answered < kRequestsInARow;) {
    const uint64_t word = page.request.load(std::memory_order_seq_cst);
    if (word == connection.seen) {
      if (armed) return;
      // First this, then another look: see ClientPage::armed.
      page.armed.store(1, std::memory_order_seq_cst);
      armed = true;
      continue;
    }
    if (!IsLevelWord(word)) {
      ++counters_.expelled;
      Drop(id, "expelled: it asked for a level that there is not", now_ns);
      return;
    }
    const auto [level, sequence] = UnpackLevel(word);
    const Arbiter::Answer answer = arbiter_->Ask(id, level, now_ns);
    if (answer.too_soon) {
      Mute(id, connection, answer.retry_ns, now_ns);
      return;
    }
    connection.seen = word;
    ++answered;
    const auto transition_ns =
        static_cast<double>(arbiter_->actuator().transition_ns());
    page.done_ticks.store(Ticks() + NsToTicks(transition_ns),
                          std::memory_order_relaxed);
    page.granted.store(PackLevel({answer.granted, sequence}),
                       std::memory_order_release);
    if (answer.granted != std::min(level, arbiter_->limits().max_level)) {
      SettleSoon(now_ns);
    }
  }
  Mute(id, connection, now_ns + arbiter_->limits().min_interval_ns, now_ns);
}

void BoostServer::Mute(ConnectionId id, Connection& connection,
                       int64_t until_ns, int64_t now_ns) {
  // It need not ring: its page is looked at when it may ask again.
  connection.page->armed.store(0, std::memory_order_seq_cst);
  Watch(connection.doorbell.get(), Source::kDoorbell, id, EPOLL_CTL_MOD, 0)
      .IgnoreError();
  connection.muted = true;
  connection.due_ns = until_ns;
  dues_.insert({until_ns, id});
  ++counters_.throttled;
  if (throttle_lines_.Take(now_ns)) {
    log_->Write(
        absl::StrCat("client ", id, " asks too often: it waits (",
                     counters_.throttled, " times that one has had to)"),
        now_ns);
  }
}

void BoostServer::Unmute(ConnectionId id, Connection& connection,
                         int64_t now_ns) {
  connection.muted = false;
  connection.reported = true;
  Watch(connection.doorbell.get(), Source::kDoorbell, id, EPOLL_CTL_MOD)
      .IgnoreError();
  Look(id, connection, now_ns);
}

void BoostServer::SettleSoon(int64_t now_ns) {
  if (settling_) return;
  settling_ = true;
  dues_.insert({now_ns + kSettleNs, kHouse});
}

}  // namespace edgewise
