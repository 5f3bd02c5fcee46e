// edgewise-load: an open-loop HTTP/1.1 load generator. See docs/load.md.

#include <netdb.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "load/engine.h"
#include "load/mix.h"
#include "load/report.h"

namespace edgewise::load {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

volatile std::sig_atomic_t g_stop = 0;

struct Flags {
  std::vector<std::string> urls;
  std::string mix_file;
  std::string samples_file;
  std::string hgrm_file;
  std::string hgrm_actual_file;
  double rate_per_s = 0;
  int connections = 0;
  bool closed = false;
  double duration_s = 10;
  double warmup_s = 0;
  double timeout_s = 30;
  uint64_t seed = 1;
  bool json = false;
  bool spin = false;
  bool stamps = false;
  std::string reuse = "recent";
  bool progress = false;
};

struct Target {
  std::string host;
  std::string port;
  std::string path;
};

void Declare(CLI::App& app, Flags& flags) {
  app.add_option("url", flags.urls,
                 "http://HOST[:PORT][/PATH]; of several, which differ in host "
                 "and port only, each request goes to one at random")
      ->required();
  app.add_option("--rate", flags.rate_per_s,
                 "open loop: mean arrivals per second")
      ->check(CLI::Range(0.001, 1e6));
  app.add_option("--duration", flags.duration_s, "seconds measured (10)")
      ->check(CLI::Range(0.01, 1e6));
  app.add_option("--warmup", flags.warmup_s,
                 "seconds of load before that, which are not counted (0)")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--mix", flags.mix_file,
                 "JSON file of weighted requests; without one: GET of the URL")
      ->check(CLI::ExistingFile);
  app.add_flag("--closed", flags.closed,
               "closed loop: each of --connections waits for its response");
  app.add_option("--connections", flags.connections,
                 "closed loop: how many; open loop: at most (no limit)")
      ->check(CLI::Range(1, 100000));
  app.add_option("--timeout", flags.timeout_s,
                 "seconds until a request counts as failed (30)")
      ->check(CLI::Range(0.001, 1e5));
  app.add_option("--seed", flags.seed, "of arrivals, mix and values (1)");
  app.add_option("--samples", flags.samples_file,
                 "write one CSV row a request");
  app.add_option("--hgrm", flags.hgrm_file,
                 "write the latency from the intended send time, as "
                 "HdrHistogram percentiles in ms");
  app.add_option("--hgrm-actual", flags.hgrm_actual_file,
                 "the same, from the actual send time");
  app.add_option("--reuse", flags.reuse,
                 "idle connection an arrival takes: recent (the one used last) "
                 "or random")
      ->check(CLI::IsMember({"recent", "random"}));
  app.add_flag("--json", flags.json, "print the summary as JSON");
  app.add_flag("--stamps", flags.stamps,
               "a response has come when the kernel got it, not when the "
               "generator took it up");
  app.add_flag("--spin", flags.spin, "poll instead of sleeping (takes a core)");
  app.add_flag("--progress", flags.progress, "a line every 5 s on stderr");
}

absl::StatusOr<Target> ParseUrl(absl::string_view url) {
  const auto bad = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(
        "url \"", url, "\": ", why, "; allowed: http://HOST[:PORT][/PATH]"));
  };
  absl::string_view rest = url;
  if (!absl::StartsWith(rest, "http://")) return bad("only http:// is spoken");
  rest.remove_prefix(7);
  const absl::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  Target target;
  target.path = std::string(rest.substr(authority.size()));
  if (target.path.find_first_of("?# ") != std::string::npos) {
    return bad("a query belongs into a mix file");
  }
  const bool bracketed = absl::StartsWith(authority, "[");
  const size_t host_end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && host_end == absl::string_view::npos) return bad("no ]");
  target.host = std::string(bracketed ? authority.substr(1, host_end - 1)
                                      : authority.substr(0, host_end));
  const size_t colon = authority.find(':', bracketed ? host_end : 0);
  target.port = colon == absl::string_view::npos
                    ? "80"
                    : std::string(authority.substr(colon + 1));
  const bool digits =
      !target.port.empty() && target.port.size() <= 5 &&
      target.port.find_first_not_of("0123456789") == std::string::npos;
  if (target.host.empty()) return bad("no host");
  if (!digits || std::stoi(target.port) < 1 || std::stoi(target.port) > 65535) {
    return bad(absl::StrCat("port \"", target.port, "\" is not 1 to 65535"));
  }
  return target;
}

std::string HostHeader(const Target& target) {
  std::string host = absl::StrContains(target.host, ':')
                         ? absl::StrCat("[", target.host, "]")
                         : target.host;
  if (target.port != "80") absl::StrAppend(&host, ":", target.port);
  return host;
}

// Resolves the target and connects once, so that a wrong address is one clear
// line and not a run of errors.
absl::StatusOr<ServerAddress> Reach(const Target& target) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(
        absl::StrCat("host \"", target.host, "\": ", gai_strerror(error)));
  }
  std::string why;
  for (addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0) {
      ServerAddress server{.bytes = at->ai_addrlen, .host = HostHeader(target)};
      std::memcpy(&server.address, at->ai_addr, at->ai_addrlen);
      close(fd);
      freeaddrinfo(found);
      return server;
    }
    why = std::strerror(errno);
    if (fd >= 0) close(fd);
  }
  freeaddrinfo(found);
  return absl::UnavailableError(
      absl::StrCat("cannot connect to ", target.host, ":", target.port, ": ",
                   why, ". Is the server listening there?"));
}

absl::StatusOr<std::vector<Target>> ParseUrls(const Flags& flags) {
  std::vector<Target> targets;
  for (const std::string& url : flags.urls) {
    auto target = ParseUrl(url);
    if (!target.ok()) return target.status();
    targets.push_back(*std::move(target));
    if (targets.back().path != targets.front().path) {
      return absl::InvalidArgumentError(absl::StrCat(
          "url \"", url, "\": its path is not that of the first, \"",
          targets.front().path, "\"; a mix has several paths"));
    }
  }
  return targets;
}

absl::StatusOr<Mix> LoadMix(const Flags& flags, const Target& target) {
  if (flags.mix_file.empty()) {
    return SingleGet(target.path.empty() ? "/" : target.path);
  }
  std::ifstream file(flags.mix_file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    return absl::NotFoundError(
        absl::StrCat("--mix ", flags.mix_file, ": cannot be read"));
  }
  auto mix = ParseMix(text);
  if (!mix.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--mix ", flags.mix_file, ": ", mix.status().message()));
  }
  return mix;
}

// Signals stay blocked but while the engine waits; descriptors and timer slack
// are set to what the machine allows.
void PrepareProcess() {
  sigset_t blocked;
  sigemptyset(&blocked);
  struct sigaction action {};
  action.sa_handler = [](int number) { g_stop = number; };
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&blocked, number);
    sigaction(number, &action, nullptr);
  }
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // ns; the default is 50 us
}

int Complain(int code, absl::string_view message) {
  std::cerr << "edgewise-load: " << message << "\n";
  return code;
}

// An output file is opened before the run: after it would be too late to say
// that it cannot be written.
bool OpenOutput(const std::string& name, std::ofstream* file) {
  if (name.empty()) return true;
  file->open(name, std::ios::binary | std::ios::trunc);
  if (*file) return true;
  Complain(kFailed,
           absl::StrCat(name, ": cannot be written: ", std::strerror(errno)));
  return false;
}

bool CloseOutput(const std::string& name, std::ofstream* file) {
  if (name.empty()) return true;
  file->close();
  if (*file) return true;
  Complain(kFailed, absl::StrCat(name, ": was not written completely: ",
                                 std::strerror(errno)));
  return false;
}

std::string CheckFlags(const Flags& flags) {
  if (flags.closed && flags.rate_per_s > 0) {
    return "--closed and --rate exclude each other";
  }
  if (flags.closed && flags.connections == 0) {
    return "--closed needs --connections N (1 to 100000)";
  }
  if (!flags.closed && flags.rate_per_s == 0) {
    return "--rate R (requests per second, 0.001 to 1e6) is missing; or "
           "--closed --connections N";
  }
  return "";
}

EngineOptions OptionsFrom(const Flags& flags, const Target& target) {
  EngineOptions options{
      .closed = flags.closed,
      .rate_per_s = flags.rate_per_s,
      .connections = flags.connections,
      .warmup_ns = static_cast<int64_t>(flags.warmup_s * 1e9),
      .duration_ns = static_cast<int64_t>(flags.duration_s * 1e9),
      .timeout_ns = static_cast<int64_t>(flags.timeout_s * 1e9),
      .seed = flags.seed,
      .reuse_random = flags.reuse == "random",
      .stamps = flags.stamps,
      .spin = flags.spin,
      .progress_ns = flags.progress ? 5'000'000'000 : 0,
      .stop = &g_stop};
  if (!flags.mix_file.empty()) {
    options.path_prefix = std::string(absl::StripSuffix(target.path, "/"));
  }
  return options;
}

// The files a run leaves.
class Outputs {
 public:
  explicit Outputs(const Flags& flags) : flags_(flags) {}

  bool Open() {
    return OpenOutput(flags_.samples_file, &samples_) &&
           OpenOutput(flags_.hgrm_file, &hgrm_) &&
           OpenOutput(flags_.hgrm_actual_file, &hgrm_actual_);
  }

  bool Write(const RunResult& result, const Mix& mix, const Summary& summary) {
    if (samples_.is_open()) WriteSamples(result, mix, samples_);
    if (hgrm_.is_open()) WriteHgrm(summary.intended, hgrm_);
    if (hgrm_actual_.is_open()) WriteHgrm(summary.actual, hgrm_actual_);
    return CloseOutput(flags_.samples_file, &samples_) &&
           CloseOutput(flags_.hgrm_file, &hgrm_) &&
           CloseOutput(flags_.hgrm_actual_file, &hgrm_actual_);
  }

 private:
  const Flags& flags_;
  std::ofstream samples_, hgrm_, hgrm_actual_;
};

int RunLoad(const Flags& flags) {
  if (std::string wrong = CheckFlags(flags); !wrong.empty()) {
    return Complain(kUsage, wrong);
  }
  const auto targets = ParseUrls(flags);
  if (!targets.ok()) return Complain(kUsage, targets.status().message());
  const auto mix = LoadMix(flags, targets->front());
  if (!mix.ok()) return Complain(kUsage, mix.status().message());
  Outputs outputs(flags);
  if (!outputs.Open()) return kFailed;
  EngineOptions options = OptionsFrom(flags, targets->front());
  for (const Target& target : *targets) {
    auto server = Reach(target);
    if (!server.ok()) return Complain(kFailed, server.status().message());
    options.servers.push_back(*std::move(server));
  }
  PrepareProcess();
  const auto result = Engine(options, *mix).Run();
  if (!result.ok()) return Complain(kFailed, result.status().message());

  const RunLabel label{.urls = flags.urls,
                       .mix_name = flags.mix_file,
                       .closed = flags.closed,
                       .rate_per_s = flags.rate_per_s,
                       .connections = flags.connections,
                       .seed = flags.seed};
  const Summary summary(*result, label, *mix);
  std::cout << (flags.json ? SummaryJson(label, *result, summary)
                           : SummaryText(label, *result, summary))
            << std::flush;
  if (!outputs.Write(*result, *mix, summary) || !std::cout) return kFailed;
  if (result->interrupted_by != 0) return 128 + result->interrupted_by;
  if (summary.answered_total == 0) {
    return Complain(kFailed, "no request was answered");
  }
  return 0;
}

}  // namespace
}  // namespace edgewise::load

int main(int argc, char** argv) {
  CLI::App app{
      "Sends HTTP/1.1 requests at a fixed rate whatever the server does, and\n"
      "prints their latency from the intended and from the actual send time.",
      "edgewise-load"};
  edgewise::load::Flags flags;
  edgewise::load::Declare(app, flags);
  try {  // CLI11 reports by exception; none passes this function.
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    return edgewise::load::Complain(edgewise::load::kUsage, error.what());
  }
  return edgewise::load::RunLoad(flags);
}
