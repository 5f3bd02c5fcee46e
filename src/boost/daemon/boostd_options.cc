#include "boost/daemon/boostd_options.h"

#include <getopt.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace edgewise {

const std::string_view kBoostdUsage =
    R"(Usage: edgewise-boostd [--socket PATH] [--allow-user NAME|UID]... [--actuator NAME]
                       [--max-level LEVEL] [--min-interval US]
       edgewise-boostd --status [--json] [--socket PATH]

Changes the processor's frequency for servers that may not do so themselves:
they ask for it over a Unix socket, and only users of the allow list may.

  --socket PATH        where it listens (default: /run/edgewise/boostd.sock)
  --allow-user USER    who may ask, by name or number; can be given several times
                       (default: root and the user that starts it)
  --actuator NAME      auto, cpufreq, epp or log (default: auto, the first of
                       cpufreq and epp that works here)
  --max-level LEVEL    the highest level that is granted: mid or high (default: high)
  --min-interval US    microseconds between two changes of one client, from 1 to
                       1000000; a few more at once are allowed (default: 100)
  --status             prints the counters of the daemon that runs
  --json               ... as JSON
  --help               prints this

It runs until SIGTERM or SIGINT, and then restores the frequency.
)";

namespace {

constexpr std::array<std::string_view, 4> kActuators = {"auto", "cpufreq",
                                                        "epp", "log"};

constexpr std::array<option, 9> kFlags = {
    option{"socket", required_argument, nullptr, 's'},
    option{"allow-user", required_argument, nullptr, 'u'},
    option{"actuator", required_argument, nullptr, 'a'},
    option{"max-level", required_argument, nullptr, 'm'},
    option{"min-interval", required_argument, nullptr, 'i'},
    option{"status", no_argument, nullptr, 'S'},
    option{"json", no_argument, nullptr, 'j'},
    option{"help", no_argument, nullptr, 'h'},
    option{}};

absl::Status NotAllowed(const char* flag, const std::string& value,
                        const char* allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      flag, " \"", value, "\" is not allowed: allowed is ", allowed));
}

std::optional<uid_t> UserOf(const std::string& text) {
  uint32_t uid = 0;
  // The last number means "none" to the kernel.
  if (absl::SimpleAtoi(text, &uid)) {
    return uid == UINT32_MAX ? std::nullopt : std::optional<uid_t>(uid);
  }
  const passwd* const entry = getpwnam(text.c_str());
  if (entry == nullptr) return std::nullopt;
  return entry->pw_uid;
}

// Root, and who has started this, also if by sudo.
std::vector<uid_t> DefaultUsers() {
  std::vector<uid_t> users = {0};
  if (getuid() != 0) users.push_back(getuid());
  const char* const sudo = getenv("SUDO_UID");
  if (getuid() == 0 && sudo != nullptr) {
    const std::optional<uid_t> user = UserOf(sudo);
    if (user && *user != 0) users.push_back(*user);
  }
  return users;
}

absl::Status TakeUser(const std::string& value, BoostdOptions& options) {
  const std::optional<uid_t> user = UserOf(value);
  if (!user) {
    return NotAllowed("--allow-user", value, "a user of this machine");
  }
  options.allowed_users.push_back(*user);
  return absl::OkStatus();
}

absl::Status TakeActuator(const std::string& value, BoostdOptions& options) {
  if (std::ranges::find(kActuators, value) == kActuators.end()) {
    return NotAllowed("--actuator", value, "auto, cpufreq, epp or log");
  }
  options.actuator = value;
  return absl::OkStatus();
}

absl::Status TakeMaxLevel(const std::string& value, BoostdOptions& options) {
  for (const Level level : {Level::kMid, Level::kHigh}) {
    if (value != NameOf(level)) continue;
    options.max_level = level;
    return absl::OkStatus();
  }
  return NotAllowed("--max-level", value, "mid or high");
}

absl::Status TakeMinInterval(const std::string& value, BoostdOptions& options) {
  int64_t us = 0;
  if (!absl::SimpleAtoi(value, &us) || us < 1 || us > 1'000'000) {
    return NotAllowed("--min-interval", value,
                      "a whole number of microseconds from 1 to 1000000");
  }
  options.min_interval_ns = us * 1000;
  return absl::OkStatus();
}

absl::Status Take(int flag, const std::string& value, BoostdOptions& options) {
  switch (flag) {
    case 's':
      if (value.empty()) return NotAllowed("--socket", value, "a path");
      options.socket_path = value;
      return absl::OkStatus();
    case 'u':
      return TakeUser(value, options);
    case 'a':
      return TakeActuator(value, options);
    case 'm':
      return TakeMaxLevel(value, options);
    case 'i':
      return TakeMinInterval(value, options);
    case 'S':
      options.what = BoostdOptions::What::kStatus;
      return absl::OkStatus();
    case 'j':
      options.json = true;
      return absl::OkStatus();
    case 'h':
      options.what = BoostdOptions::What::kHelp;
      return absl::OkStatus();
    default:
      return absl::InvalidArgumentError(
          "a flag is unknown or has no value; --help tells what is allowed");
  }
}

}  // namespace

absl::StatusOr<BoostdOptions> ParseBoostdOptions(int argc, char** argv) {
  BoostdOptions options;
  opterr = 0;  // we say it
  int flag = 0;
  while ((flag = getopt_long(argc, argv, "", kFlags.data(), nullptr)) != -1) {
    const absl::Status status =
        Take(flag, optarg != nullptr ? optarg : "", options);
    if (!status.ok()) return status;
    if (options.what == BoostdOptions::What::kHelp) return options;
  }
  if (optind < argc) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", argv[optind], "\" is not a flag"));
  }
  if (options.json && options.what != BoostdOptions::What::kStatus) {
    return absl::InvalidArgumentError("--json goes with --status");
  }
  if (options.allowed_users.empty()) options.allowed_users = DefaultUsers();
  return options;
}

}  // namespace edgewise
