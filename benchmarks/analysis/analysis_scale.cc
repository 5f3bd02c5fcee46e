// Events per second and peak memory of the whole analysis (both passes and the
// JSON) on synthetic traces:
//
//   analysis_scale [--dir DIR] [--open N] [--percentile P] [--tables]
//                  [EVENTS...]
//   analysis_scale --write DIR EVENTS       a trace in DIR, and nothing else
//
// With --tables it writes tables beside the trace, and tells how large they
// are. Default: 1 and 10 million events, written to a new directory under
// $TMPDIR that is removed afterwards. Each size runs in a process of its own,
// so that the peak is that size's.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analysis/report.h"
#include "benchmarks/analysis/synthetic_trace.h"

namespace edgewise {
namespace {

struct Arguments {
  std::string dir;
  std::string write;  // to this directory; "": measure
  uint32_t open_requests = 30;
  double percentile = 99;
  bool tables = false;
  std::vector<uint64_t> events;
};

bool Parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const bool has_value = i + 1 < argc;
    uint64_t events = 0;
    bool good = true;
    if (flag == "--dir" && has_value) {
      arguments->dir = argv[++i];
    } else if (flag == "--write" && has_value) {
      arguments->write = argv[++i];
    } else if (flag == "--open" && has_value) {
      good = absl::SimpleAtoi(argv[++i], &arguments->open_requests) &&
             arguments->open_requests > 0;
    } else if (flag == "--percentile" && has_value) {
      good = absl::SimpleAtod(argv[++i], &arguments->percentile);
    } else if (flag == "--tables") {
      arguments->tables = true;
    } else if (absl::SimpleAtoi(argv[i], &events) && events > 0) {
      arguments->events.push_back(events);
    } else {
      good = false;
    }
    if (!good) {
      std::fprintf(stderr,
                   "analysis_scale: bad argument %s; usage: analysis_scale "
                   "[--dir DIR] [--open N] [--percentile P] [--tables] "
                   "[EVENTS...], or --write DIR EVENTS\n",
                   argv[i]);
      return false;
    }
  }
  if (arguments->events.empty()) arguments->events = {1'000'000, 10'000'000};
  return true;
}

uint64_t BytesIn(const std::string& dir) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    bytes += entry.file_size();
  }
  return bytes;
}

// In the child: one report, timed.
int Measure(const std::string& dir, const SyntheticTraceCounts& counts,
            const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  ReportOptions options;
  options.percentile = arguments.percentile;
  if (arguments.tables) {
    options.tables = dir + "/tables";
    options.scratch = {dir};
    std::filesystem::create_directories(options.tables);
  }
  const auto report = BuildReport(dir, options);
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  if (!report.ok()) {
    std::fprintf(stderr, "analysis_scale: %s\n",
                 report.status().ToString().c_str());
    return 1;
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const double cpu = static_cast<double>(usage.ru_utime.tv_sec) +
                     static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
  const auto events = static_cast<double>(counts.events);
  std::printf("%12llu %12llu %10llu %9.1f %8.2f %8.2f %12.2f %9.1f %9.1f\n",
              static_cast<unsigned long long>(counts.events),
              static_cast<unsigned long long>(counts.records),
              static_cast<unsigned long long>(counts.requests),
              static_cast<double>(counts.bytes) / 1e6, time.count(), cpu,
              events / time.count() / 1e6, time.count() / events * 1e9,
              static_cast<double>(usage.ru_maxrss) / 1024);
  if (arguments.tables) {
    const auto bytes = static_cast<double>(BytesIn(options.tables));
    std::printf("%12s tables: %.1f MB, %.1f bytes an event\n", "", bytes / 1e6,
                bytes / events);
  }
  std::fflush(stdout);
  return 0;
}

absl::Status Write(const std::string& dir, const Arguments& arguments,
                   uint64_t events, SyntheticTraceCounts* counts) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  SyntheticTraceOptions options;
  options.events = events;
  options.open_requests = arguments.open_requests;
  return WriteSyntheticTrace(dir + "/1-0.ewt", options, counts);
}

bool RunSize(const Arguments& arguments, const std::string& parent,
             uint64_t events) {
  const std::string dir = absl::StrCat(parent, "/", events);
  SyntheticTraceCounts counts;
  const absl::Status status = Write(dir, arguments, events, &counts);
  bool good = status.ok();
  if (!good) {
    std::fprintf(stderr, "analysis_scale: %s\n", status.ToString().c_str());
  } else {
    const pid_t child = fork();
    if (child == 0) _exit(Measure(dir, counts, arguments));
    int result = 0;
    good = child > 0 && waitpid(child, &result, 0) == child && result == 0;
  }
  std::error_code error;
  std::filesystem::remove_all(dir, error);
  return good;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, &arguments)) return 2;
  if (!arguments.write.empty()) {
    SyntheticTraceCounts counts;
    const absl::Status status =
        Write(arguments.write, arguments, arguments.events.front(), &counts);
    if (status.ok()) return 0;
    std::fprintf(stderr, "analysis_scale: %s\n", status.ToString().c_str());
    return 1;
  }
  const std::string base = arguments.dir.empty()
                               ? std::filesystem::temp_directory_path().string()
                               : arguments.dir;
  std::string parent = absl::StrCat(base, "/edgewise-analysis-XXXXXX");
  if (mkdtemp(parent.data()) == nullptr) {
    std::fprintf(stderr, "analysis_scale: cannot create a directory in %s\n",
                 base.c_str());
    return 1;
  }
  std::printf("%12s %12s %10s %9s %8s %8s %12s %9s %9s\n", "events", "records",
              "requests", "MB", "wall s", "user s", "Mevents/s", "ns/event",
              "peak MB");
  std::fflush(stdout);  // or each child prints it again
  bool good = true;
  for (const uint64_t events : arguments.events) {
    good = RunSize(arguments, parent, events) && good;
  }
  std::error_code error;
  std::filesystem::remove_all(parent, error);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) { return edgewise::Main(argc, argv); }
