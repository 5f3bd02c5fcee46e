#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "poke/debt.h"
#include "poke/paused_processes.h"
#include "poke/rounds.h"
#include "poke/watchdog.h"

namespace edgewise {

// Sits beside a service and pauses it for so long a round (docs/slow.md). A
// round begins when the target has begun so many more requests: the poker
// beside the target counts them, and tells its neighbours, who tell theirs.
//
// Commands come in lines, each answered by one:
//   arm RUN PAUSE_NS   another run begins -> armed
//   follow EVERY       count the target's requests -> following
//   read               -> rounds N pauses N paused_ns N owed_ns N longest_ns N
//   disarm             no more pauses; the service goes on -> as for read
// What goes wrong is answered by: error REASON. The end of the input, SIGINT,
// SIGTERM, SIGHUP and SIGQUIT end it; the service goes on.
class Poker {
 public:
  // `processes` and `pause_end` outlive it. `counted`: control sockets of the
  // processes whose requests make the rounds; none where neighbours tell.
  Poker(const PausedProcesses& processes, Gossip gossip,
        std::vector<std::string> counted, PauseEnd* pause_end);

  // Reads commands from `in` and answers on `out` until it shall end. Returns
  // the exit code.
  int Run(int in, int out);

 private:
  // False: the input has ended.
  bool ReadCommands(int in, int out);
  std::string Perform(absl::string_view command);
  std::string Follow(uint64_t every);
  std::string Status() const;
  void HearNeighbours();
  void CountRequests();
  // The target has come to this round.
  void Learn(uint64_t number);
  void PauseIfOwed();
  void ContinueIfDue();
  void Continue();
  // What poll() may take, ns; none: until something comes.
  std::optional<int64_t> RemainingNs() const;

  const PausedProcesses& processes_;
  Gossip gossip_;
  std::vector<std::string> counted_;
  PauseEnd* pause_end_;

  std::string unread_;
  std::vector<CountedProcess> sources_;
  uint64_t run_ = 0;
  uint64_t counted_rounds_ = 0;
  bool armed_ = false;
  Debt debt_;
  int64_t paused_since_ns_ = 0;  // 0: it runs
};

}  // namespace edgewise
