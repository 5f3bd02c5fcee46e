#include "boost/policy.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "boost/policy/adrenaline.h"
#include "boost/policy/gc_boost.h"
#include "boost/policy/highest_of.h"
#include "boost/policy/queue_boost.h"
#include "boost/policy/rubik.h"
#include "boost/policy/slo.h"
#include "boost/policy/static_level.h"

namespace edgewise {
namespace {

using Maker = std::unique_ptr<Policy> (*)(const PolicyConfig&);

template <typename P>
std::unique_ptr<Policy> Make(const PolicyConfig& config) {
  return std::make_unique<P>(config);
}

template <Level kLevel>
std::unique_ptr<Policy> MakeStatic(const PolicyConfig& /*config*/) {
  return std::make_unique<StaticLevel>(kLevel);
}

struct Named {
  std::string_view name;
  Maker make;
};

constexpr std::array kPolicies = {
    Named{"gc", Make<GcBoost>},
    Named{"queue", Make<QueueBoost>},
    Named{"slo", Make<Slo>},
    Named{"rubik", Make<Rubik>},
    Named{"adrenaline", Make<Adrenaline>},
    Named{"low", MakeStatic<Level::kLow>},
    Named{"mid", MakeStatic<Level::kMid>},
    Named{"high", MakeStatic<Level::kHigh>},
};

std::string Joined(const std::vector<std::string_view>& words,
                   std::string_view separator) {
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += separator;
    joined += word;
  }
  return joined;
}

absl::Status Refuse(std::string_view word, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("policy \"", std::string(word), "\" ", std::string(why),
                   "; allowed: ", Joined(PolicyNames(), ", "),
                   ", or several of them, each once, separated by commas"));
}

// What the policies divide by or compare with must make sense.
absl::Status CheckConfig(const PolicyConfig& config) {
  for (const double factor : {config.queue_factor, config.head_factor}) {
    if (!(factor >= 1 && factor <= 100)) {
      return absl::InvalidArgumentError(
          absl::StrCat("boost factor ", factor, " is not between 1 and 100"));
    }
  }
  if (!(config.percentile > 0 && config.percentile < 100)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "percentile ", config.percentile, " is not between 0 and 100"));
  }
  if (config.target_ns < 0 || config.transition_ns < 0) {
    return absl::InvalidArgumentError(
        "the target latency and the transition latency cannot be negative");
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string_view> PolicyNames() {
  std::vector<std::string_view> names;
  names.reserve(kPolicies.size());
  for (const Named& policy : kPolicies) names.push_back(policy.name);
  return names;
}

absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(std::string_view names,
                                                   const PolicyConfig& config) {
  if (absl::Status status = CheckConfig(config); !status.ok()) return status;
  std::vector<std::unique_ptr<Policy>> parts;
  const std::string list(names);
  const std::vector<std::string> words = absl::StrSplit(list, ',');
  for (const std::string& word : words) {
    if (word.empty()) return Refuse(word, "is empty");
    const auto* const found =
        std::find_if(kPolicies.begin(), kPolicies.end(),
                     [&word](const Named& one) { return one.name == word; });
    if (found == kPolicies.end()) return Refuse(word, "does not exist");
    for (const auto& part : parts) {
      if (part->name() == word) return Refuse(word, "is named twice");
    }
    parts.push_back(found->make(config));
  }
  if (parts.size() == 1) return std::move(parts.front());
  std::vector<std::string_view> used;
  for (const auto& part : parts) used.push_back(part->name());
  return std::make_unique<HighestOf>(Joined(used, ","), std::move(parts));
}

}  // namespace edgewise
