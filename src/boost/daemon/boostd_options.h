#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "boost/daemon/protocol.h"
#include "boost/level.h"

namespace edgewise {

// The command line of edgewise-boostd.
struct BoostdOptions {
  enum class What { kServe, kStatus, kHelp };
  What what = What::kServe;
  std::string socket_path{kDefaultBoostdSocket};
  std::vector<uid_t> allowed_users;
  std::string actuator = "auto";
  Level max_level = Level::kHigh;
  int64_t min_interval_ns = 100'000;
  bool json = false;
};

extern const std::string_view kBoostdUsage;

// InvalidArgument, with what is allowed: a flag or a value is not.
absl::StatusOr<BoostdOptions> ParseBoostdOptions(int argc, char** argv);

}  // namespace edgewise
