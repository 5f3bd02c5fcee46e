#include "boost/daemon/arbiter.h"

#include <algorithm>
#include <utility>

namespace edgewise {

Arbiter::Arbiter(std::vector<BoostDomain> domains, Limits limits,
                 int64_t now_ns,
                 std::function<void(const absl::Status&)> on_error)
    : limits_(limits), on_error_(std::move(on_error)) {
  for (BoostDomain& each : domains) {
    Domain domain;
    domain.cpus = std::move(each.cpus);
    domain.actuator = std::move(each.actuator);
    domain.since_ns = now_ns;
    domains_.push_back(std::move(domain));
  }
}

std::vector<size_t> Arbiter::DomainsOf(const std::vector<int>& cpus) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < domains_.size(); ++i) {
    const std::vector<int>& own = domains_[i].cpus;
    const bool shared = own.empty() || std::ranges::any_of(cpus, [&](int cpu) {
                          return std::ranges::find(own, cpu) != own.end();
                        });
    if (shared) found.push_back(i);
  }
  return found;
}

void Arbiter::Join(ClientId id, std::vector<size_t> domains) {
  for (const size_t i : domains) ++domains_[i].clients[0];
  clients_.emplace(id, Client{std::move(domains),
                              RateLimit(limits_.min_interval_ns, kBurst)});
}

void Arbiter::Leave(ClientId id, int64_t now_ns) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  Grant(found->second, Level::kLow, now_ns);
  for (const size_t i : found->second.domains) --domains_[i].clients[0];
  clients_.erase(found);
}

Arbiter::Answer Arbiter::Ask(ClientId id, Level level, int64_t now_ns) {
  Client& client = clients_.at(id);
  level = std::min(level, limits_.max_level);
  if (level == client.granted) return {.granted = InForceFor(client)};
  if (!client.changes.Take(now_ns)) {
    return {.too_soon = true,
            .retry_ns = client.changes.next_ns(),
            .granted = InForceFor(client)};
  }
  ++requests_;
  if (client.granted == Level::kLow) ++boosts_;
  Grant(client, level, now_ns);
  return {.granted = InForceFor(client)};
}

bool Arbiter::Settle(int64_t now_ns) {
  bool settled = true;
  for (Domain& domain : domains_) {
    Apply(domain, now_ns);
    settled = settled && domain.level == WantedIn(domain);
  }
  return settled;
}

Level Arbiter::WantedIn(const Domain& domain) {
  Level level = Level::kHigh;
  while (level != Level::kLow &&
         domain.clients[static_cast<size_t>(level)] == 0) {
    level = static_cast<Level>(static_cast<uint8_t>(level) - 1);
  }
  return level;
}

Level Arbiter::InForceFor(const Client& client) const {
  Level highest = Level::kLow;
  for (const size_t i : client.domains) {
    highest = std::max(highest, domains_[i].level);
  }
  return std::min(client.granted, highest);
}

void Arbiter::Grant(Client& client, Level level, int64_t now_ns) {
  for (const size_t i : client.domains) {
    --domains_[i].clients[static_cast<size_t>(client.granted)];
    ++domains_[i].clients[static_cast<size_t>(level)];
    Apply(domains_[i], now_ns);
  }
  client.granted = level;
}

void Arbiter::Apply(Domain& domain, int64_t now_ns) {
  const Level level = WantedIn(domain);
  if (level == domain.level) return;
  const absl::Status status = domain.actuator->Set(level);
  if (!status.ok()) {
    // The level stays noted as it was: Settle() and the next change try again.
    ++errors_;
    on_error_(status);
    return;
  }
  domain.residency[static_cast<size_t>(domain.level)] +=
      now_ns - domain.since_ns;
  domain.since_ns = now_ns;
  domain.level = level;
}

Residency Arbiter::TimeInLevels(int64_t now_ns) const {
  Residency sum{};
  for (const Domain& domain : domains_) {
    for (size_t i = 0; i < kLevels; ++i) sum[i] += domain.residency[i];
    sum[static_cast<size_t>(domain.level)] += now_ns - domain.since_ns;
  }
  return sum;
}

}  // namespace edgewise
