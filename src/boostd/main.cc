// edgewise-boostd: the daemon that changes the frequency for servers without
// privilege (docs/boostd.md). Exit codes: 0 done, 1 failed, 2 wrong usage.

#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "boost/actuator.h"
#include "boost/daemon/arbiter.h"
#include "boost/daemon/boost_server.h"
#include "boost/daemon/boostd_options.h"
#include "boost/daemon/boostd_status.h"
#include "boost/daemon/domains.h"
#include "boost/daemon/event_log.h"
#include "boost/daemon/local_socket.h"
#include "boost/daemon/socket_closer.h"
#include "boost/guardian.h"
#include "platform/clock.h"
#include "platform/thread.h"

namespace edgewise {
namespace {

constexpr int kFailure = 1;
constexpr int kWrongUsage = 2;

// Before the application's threads when a request wakes it, yet not above all
// as a real-time thread would be: a client must not be able to stop the
// machine.
constexpr int kNice = -10;

int Fail(const absl::Status& status, int code) {
  const std::string line =
      absl::StrCat("edgewise boostd: ", status.message(), "\n");
  std::fputs(line.c_str(), stderr);
  return code;
}

int PrintStatus(const BoostdOptions& options) {
  const absl::StatusOr<BoostdStatus> status = AskStatus(options.socket_path);
  if (!status.ok()) return Fail(status.status(), kFailure);
  const std::string text =
      options.json ? StatusAsJson(*status) : StatusAsPrometheus(*status);
  std::fputs(text.c_str(), stdout);
  return 0;
}

absl::StatusOr<std::unique_ptr<Actuator>> MakeNamed(ActuatorConfig config,
                                                    const char* name) {
  config.name = name;
  return MakeActuator(config);
}

// "auto" is ours: of all actuators only these two act on CPUs, not on the
// daemon itself.
absl::StatusOr<std::unique_ptr<Actuator>> MakeAuto(
    const ActuatorConfig& config) {
  absl::StatusOr<std::unique_ptr<Actuator>> cpufreq =
      MakeNamed(config, "cpufreq");
  if (cpufreq.ok()) return cpufreq;
  absl::StatusOr<std::unique_ptr<Actuator>> epp = MakeNamed(config, "epp");
  if (epp.ok()) return epp;
  return absl::UnavailableError(absl::StrCat(
      "no frequency can be changed here: cpufreq: ", cpufreq.status().message(),
      "; epp: ", epp.status().message()));
}

absl::StatusOr<std::vector<BoostDomain>> MakeOwnDomains(
    const BoostdOptions& options) {
  ActuatorConfig config;
  config.name = options.actuator;
  // This program restores what it has changed, should it be killed (--guard).
  config.guardian_program = "/proc/self/exe";
  // Nothing else can share what is only written to a log.
  if (options.actuator == "log") {
    std::vector<BoostDomain> domains;
    config.loop_tid = ThreadId();
    auto actuator = MakeActuator(config);
    if (!actuator.ok()) return actuator.status();
    domains.push_back({.cpus = {}, .actuator = *std::move(actuator)});
    return domains;
  }
  return MakeDomains(config,
                     options.actuator == "auto" ? MakeAuto : MakeActuator);
}

std::string Describe(const BoostdOptions& options, const Arbiter& arbiter) {
  return absl::StrCat(
      "listens at ", options.socket_path, " to users ",
      absl::StrJoin(options.allowed_users, ", "), "; ",
      arbiter.actuator().description(), "; ", arbiter.domain_count(),
      arbiter.domain_count() == 1 ? " domain" : " domains", "; at most ",
      std::string(NameOf(options.max_level)), ", a change of a client every ",
      options.min_interval_ns / 1000, " us");
}

absl::Status Serve(const BoostdOptions& options) {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ending, each);
  sigprocmask(SIG_BLOCK, &ending, nullptr);
  signal(SIGPIPE, SIG_IGN);  // of a log that nobody reads any more
  const OwnedFd stop(signalfd(-1, &ending, SFD_CLOEXEC));
  setpriority(PRIO_PROCESS, 0, kNice);  // where it may

  // First the socket: of two daemons only one touches the hardware.
  const absl::StatusOr<std::unique_ptr<LocalListener>> listener =
      LocalListener::At(options.socket_path);
  if (!listener.ok()) return listener.status();
  absl::StatusOr<std::vector<BoostDomain>> domains = MakeOwnDomains(options);
  if (!domains.ok()) return domains.status();

  EventLog log(STDERR_FILENO);
  const absl::StatusOr<std::unique_ptr<SocketCloser>> closer =
      SocketCloser::Start();
  if (!closer.ok()) return closer.status();
  Arbiter arbiter(*std::move(domains),
                  {.max_level = options.max_level,
                   .min_interval_ns = options.min_interval_ns},
                  MonotonicNs(), [&log](const absl::Status& status) {
                    log.Write(std::string(status.message()), MonotonicNs());
                  });
  BoostServer::Options server_options;
  server_options.allowed_users = options.allowed_users;
  const absl::StatusOr<std::unique_ptr<BoostServer>> server =
      BoostServer::Start(server_options, listener->get(), &arbiter, &log,
                         closer->get());
  if (!server.ok()) return server.status();
  log.Write(Describe(options, arbiter), MonotonicNs());
  absl::Status status = (*server)->Run(stop.get());
  log.Write("ends, and restores the frequency", MonotonicNs());
  return status;
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) {
  // Not of its usage: whoever boosts starts it so, with a socket.
  if (argc == 2 && std::string_view(argv[1]) == "--guard") {
    return edgewise::RunGuardian(edgewise::kGuardianFd);
  }
  using edgewise::BoostdOptions;
  const absl::StatusOr<BoostdOptions> options =
      edgewise::ParseBoostdOptions(argc, argv);
  if (!options.ok()) {
    return edgewise::Fail(options.status(), edgewise::kWrongUsage);
  }
  if (options->what == BoostdOptions::What::kHelp) {
    std::fputs(edgewise::kBoostdUsage.data(), stdout);
    return 0;
  }
  if (options->what == BoostdOptions::What::kStatus) {
    return edgewise::PrintStatus(*options);
  }
  const absl::Status status = edgewise::Serve(*options);
  return status.ok() ? 0 : edgewise::Fail(status, edgewise::kFailure);
}
