#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "boost/actuator.h"
#include "boost/daemon/rate_limit.h"
#include "boost/energy.h"
#include "boost/level.h"

namespace edgewise {

// CPUs that share a frequency, and what changes it.
struct BoostDomain {
  std::vector<int> cpus;  // empty: all
  std::unique_ptr<Actuator> actuator;
};

// Decides which level each frequency domain runs at: the highest that any
// client whose thread may run there was granted, and never more than allowed.
// Owns the actuators; reads no clock. One thread.
class Arbiter {
 public:
  using ClientId = uint32_t;

  // Changes that a client may make at once before it is held to the interval.
  static constexpr int64_t kBurst = 8;

  struct Limits {
    Level max_level = Level::kHigh;
    int64_t min_interval_ns = 100'000;  // between two changes of one client
  };

  // `on_error`: told of each failed Set() of an actuator.
  Arbiter(std::vector<BoostDomain> domains, Limits limits, int64_t now_ns,
          std::function<void(const absl::Status&)> on_error);

  // The domains in which a thread with this affinity may run.
  std::vector<size_t> DomainsOf(const std::vector<int>& cpus) const;

  // `id` is not in use.
  void Join(ClientId id, std::vector<size_t> domains);

  // Takes back what the client was granted. Not limited in rate.
  void Leave(ClientId id, int64_t now_ns);

  struct Answer {
    // Asked too soon: nothing was done, ask again at retry_ns.
    bool too_soon = false;
    int64_t retry_ns = 0;
    // The level in force for the client: less than asked where not more is
    // allowed, or the actuator failed.
    Level granted = Level::kLow;
  };

  Answer Ask(ClientId id, Level level, int64_t now_ns);

  // Tries again what an actuator failed to do. True if nothing is left.
  bool Settle(int64_t now_ns);

  const Limits& limits() const { return limits_; }
  // At least one; those of the first stand for all.
  const Actuator& actuator() const { return *domains_.front().actuator; }
  size_t domain_count() const { return domains_.size(); }
  Level LevelOf(size_t domain) const { return domains_[domain].level; }
  // Time at each level until now, summed over the domains.
  Residency TimeInLevels(int64_t now_ns) const;

  // Changes that were applied, and those of them that left the low level.
  uint64_t requests() const { return requests_; }
  uint64_t boosts() const { return boosts_; }
  uint64_t actuator_errors() const { return errors_; }

 private:
  struct Domain {
    std::vector<int> cpus;
    std::unique_ptr<Actuator> actuator;
    std::array<uint32_t, kLevels> clients{};  // granted each level
    Level level = Level::kLow;                // as the actuator was last set
    int64_t since_ns = 0;
    Residency residency{};
  };
  struct Client {
    std::vector<size_t> domains;
    RateLimit changes;
    Level granted = Level::kLow;
  };

  static Level WantedIn(const Domain& domain);
  Level InForceFor(const Client& client) const;
  void Grant(Client& client, Level level, int64_t now_ns);
  void Apply(Domain& domain, int64_t now_ns);

  const Limits limits_;
  const std::function<void(const absl::Status&)> on_error_;
  std::vector<Domain> domains_;
  absl::flat_hash_map<ClientId, Client> clients_;
  uint64_t requests_ = 0;
  uint64_t boosts_ = 0;
  uint64_t errors_ = 0;
};

}  // namespace edgewise
