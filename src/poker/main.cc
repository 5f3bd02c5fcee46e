// edgewise-poker: pauses a service beside which it sits, as `edgewise slow`
// tells it (docs/slow.md, src/poke/poker.h). Exit codes: 0 done, 1 failed, 2
// wrong usage.

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "platform/thread.h"
#include "poke/paused_processes.h"
#include "poke/poker.h"
#include "poke/rounds.h"
#include "poke/watchdog.h"

namespace edgewise {
namespace {

constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;
// Above services that run in real time themselves.
constexpr int kPriority = 20;
// What a pause may take longer before the watchdog ends it.
constexpr int64_t kGraceNs = 1'000'000'000;
constexpr char kUsage[] =
    "usage: edgewise-poker --socket PATH [--neighbour PATH]... [--counted "
    "PATH]... [PID]...\n";

struct Options {
  std::string socket;
  std::vector<std::string> neighbours;
  std::vector<std::string> counted;
  std::vector<pid_t> pids;
};

bool Parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const absl::string_view word = argv[i];
    const bool valued = absl::StartsWith(word, "--");
    if (valued && i + 1 == argc) return false;
    pid_t pid = 0;
    if (word == "--socket") {
      options->socket = argv[++i];
    } else if (word == "--neighbour") {
      options->neighbours.emplace_back(argv[++i]);
    } else if (word == "--counted") {
      options->counted.emplace_back(argv[++i]);
    } else if (absl::SimpleAtoi(word, &pid) && pid > 0) {
      options->pids.push_back(pid);
    } else {
      return false;
    }
  }
  return !options->socket.empty();
}

int Fail(absl::string_view why) {
  const std::string line = absl::StrCat("edgewise-poker: ", why, "\n");
  std::fputs(line.c_str(), stderr);
  return kFailure;
}

// Where this user may not, it competes as others do.
void RunBeforeServices() {
  sched_param priority{};
  priority.sched_priority = kPriority;
  sched_setscheduler(0, SCHED_FIFO, &priority);
  UsePreciseSleep();
}

int Poke(const Options& options, const PausedProcesses& processes,
         PauseEnd* pause_end) {
  absl::StatusOr<Gossip> gossip =
      Gossip::At(options.socket, options.neighbours);
  if (!gossip.ok()) return Fail(gossip.status().message());
  RunBeforeServices();
  return Poker(processes, *std::move(gossip), options.counted, pause_end)
      .Run(STDIN_FILENO, STDOUT_FILENO);
}

int Main(int argc, char** argv) {
  Options options;
  if (!Parse(argc, argv, &options)) {
    std::fputs(kUsage, stderr);
    return kWrongUsage;
  }
  absl::StatusOr<PausedProcesses> processes =
      PausedProcesses::Open(options.pids);
  if (!processes.ok()) return Fail(processes.status().message());
  return RunWatched(*processes, kGraceNs, [&](PauseEnd* pause_end) {
    return Poke(options, *processes, pause_end);
  });
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) { return edgewise::Main(argc, argv); }
