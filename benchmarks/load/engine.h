#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <csignal>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "load/arrivals.h"
#include "load/connection.h"
#include "load/mix.h"
#include "load/request_source.h"
#include "load/sample.h"

namespace edgewise::load {

struct ServerAddress {
  sockaddr_storage address{};
  socklen_t bytes = 0;
  std::string host;  // Host header
};

struct EngineOptions {
  // At least one. Of several each request goes to one at random.
  std::vector<ServerAddress> servers;
  std::string path_prefix;  // before every path; "" or "/base"
  bool closed = false;      // `connections` users who wait for each response
  double rate_per_s = 0;    // open loop
  int connections = 0;      // closed loop: users; open loop: limit, 0: none
  int64_t warmup_ns = 0;
  int64_t duration_ns = 0;  // measured, after the warm-up
  int64_t timeout_ns = 0;
  uint64_t seed = 1;
  // Which idle connection an arrival takes: the one used last, or any. Behind
  // a load balancer or cluster the first would go to one process only.
  bool reuse_random = false;
  // A response has come when the kernel got it, not when the generator took it
  // up: without its own lag, at a price for all packets of the machine.
  bool stamps = false;
  bool spin = false;        // poll instead of sleeping: less lag, a whole core
  int64_t progress_ns = 0;  // how often to say so on stderr; 0: never
  // Set by a signal handler to stop early; the engine only reads it. The signal
  // must be blocked: the engine takes it while it waits, so none is missed.
  const volatile std::sig_atomic_t* stop = nullptr;
};

// Drives one run from one thread.
//
// Open loop: arrivals come when the arrival process says so, whatever the
// server does. Each takes an idle connection or opens one. Where the number of
// connections is limited, an arrival that finds none idle waits for one, and
// its latency still counts from the time it was meant to be sent: the server's
// stalls are not hidden (coordinated omission), but queue at the client.
// Closed loop: `connections` users each send their next request when
// they have the response to the last; this finds the saturation throughput.
class Engine {
 public:
  // `mix` must outlive the engine; each server keeps what it captures.
  Engine(const EngineOptions& options, const Mix& mix);
  ~Engine();

  // Errors: epoll not available. Requests that fail are counted, not returned.
  absl::StatusOr<RunResult> Run();

 private:
  struct Slot {
    Connection connection;
    bool used = false;
    uint32_t generation = 0;  // of the connection in it; stale events differ
  };
  struct Handle {
    uint32_t slot;
    uint32_t generation;
  };
  struct Server {
    RequestSource source;
    std::vector<Handle> idle;  // in the order of their last use
  };
  struct Deadline {
    int64_t at_ns;
    Handle handle;
    const Sample* sample;
  };

  void StartDue();
  void StartDueOpen();
  bool MayStart() const;
  Sample& Arrive(int64_t intended_ns);
  uint32_t DrawServer();
  void Dispatch(int64_t intended_ns);
  // An idle connection, or a new one (which may have failed to open: Start()
  // says so).
  uint32_t TakeConnection(uint32_t server, int64_t now_ns);
  void OnOutcome(uint32_t slot, Connection::Outcome outcome);
  void EndExchange(uint32_t slot, Failure failure, const std::string& message);
  void CloseSlot(uint32_t slot);
  void ExpireDeadlines(int64_t now_ns);
  void AbortAll(int signal_number);
  void AbortWaiting();
  absl::Status Wait(int64_t now_ns);
  bool Done(int64_t now_ns) const;
  int WaitForEvents(int64_t wait_ns);
  void LetSignalsIn();
  void PrintProgress(int64_t now_ns);

  const EngineOptions options_;
  const Mix& mix_;
  std::vector<Server> servers_;
  PoissonArrivals arrivals_;
  RunResult result_;
  int epoll_fd_ = -1;
  int64_t next_arrival_ns_ = 0;
  int64_t next_progress_ns_ = INT64_MAX;
  uint64_t in_flight_ = 0;
  int64_t freed_ns_ = 0;  // when the last exchange ended
  uint64_t ended_ = 0;
  uint64_t failed_ = 0;
  std::deque<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::deque<Deadline> deadlines_;  // in order: the time-out is one for all
  std::deque<int64_t> resume_ns_;  // closed loop: users pausing after a failure
  std::vector<epoll_event> events_;
  RequestSource::Request request_;
  Random which_server_;
  Random reuse_;
  sigset_t wait_mask_;
  uint64_t waits_ = 0;
};

}  // namespace edgewise::load
