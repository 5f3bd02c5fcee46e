// Runs the whole analysis on arbitrary bytes. The first byte says what the rest
// is: a file as it stands, or one whose checksums are made right first, so that
// mutations of the records reach the analysis behind the reader.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/page/store/trace_store.h"
#include "analysis/report.h"
#include "compare/reading/side_reader.h"
#include "compare/reading/sides.h"
#include "compare/verdict/comparison.h"
#include "handover/perfetto_trace.h"
#include "handover/span_log.h"
#include "test/native/whatif/each_change.h"
#include "trace/chunk.h"
#include "trace/crc32c.h"
#include "whatif/whatif.h"

namespace edgewise {
namespace {

constexpr uint8_t kReseal = 1;  // make the checksums right
constexpr uint8_t kCheck = 2;   // read the report and check its sums

// Turns the bytes into a sequence of chunks with right magic numbers, lengths
// and checksums, keeping all else.
void Reseal(std::string* bytes) {
  size_t at = 0;
  while (bytes->size() - at >= sizeof(ChunkHeader)) {
    ChunkHeader header;
    std::memcpy(&header, bytes->data() + at, sizeof(header));
    const size_t left = bytes->size() - at - sizeof(header);
    header.magic = kChunkMagic;
    header.version = kTraceVersion;
    if (header.payload_bytes > left) {
      header.payload_bytes = static_cast<uint32_t>(left);
    }
    header.payload_crc =
        Crc32c(bytes->data() + at + sizeof(header), header.payload_bytes);
    header.header_crc = Crc32c(&header, offsetof(ChunkHeader, header_crc));
    std::memcpy(bytes->data() + at, &header, sizeof(header));
    at += sizeof(header) + header.payload_bytes;
  }
}

[[noreturn]] void Fail(const char* what, const std::string& report) {
  std::fprintf(stderr, "trace_fuzzer: %s\n%s\n", what, report.c_str());
  std::abort();
}

void CheckSums(const std::string& text) {
  const auto report = nlohmann::json::parse(text, nullptr, false);
  if (report.is_discarded()) Fail("the report is not JSON", text);
  for (const auto& request : report["slowest"]) {
    const auto sum = request["io_ns"].get<int64_t>() +
                     request["queue_ns"].get<int64_t>() +
                     request["exec_ns"].get<int64_t>();
    if (sum != request["latency_ns"].get<int64_t>()) {
      Fail("components do not sum to the latency", text);
    }
    for (const auto& step : request["path"]) {
      for (const char* key : {"io_ns", "queue_ns", "exec_ns", "gc_ns"}) {
        if (step[key].get<int64_t>() < 0) Fail("a negative time", text);
      }
      if (step["gc_ns"] > step["exec_ns"]) Fail("more GC than time", text);
    }
  }
  const auto& tail = report["tail"];
  if (tail["count"].get<uint64_t>() + report["rest"]["count"].get<uint64_t>() !=
      report["requests"]["count"].get<uint64_t>()) {
    Fail("tail and rest are not all requests", text);
  }
  for (const char* part : {"gc_ns", "native_ns", "loop_ns", "own_ns",
                           "other_requests_ns", "unowned_ns"}) {
    const auto& value = tail["queue"][part];
    if (value.is_number() && value.get<int64_t>() < 0) {
      Fail("a negative part of the queueing", text);
    }
  }
}

// Where tables are written.
std::string TableDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "fuzz-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) Fail("no directory", pattern);
  return pattern;
}

void Empty(const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::filesystem::remove(entry.path());
  }
}

// What a page may ask.
void Ask(const TraceStore& store) {
  for (const int64_t least_ns : {int64_t{1}, int64_t{1'000'000}}) {
    if (!store.Window(0, INT64_MAX, least_ns).ok()) Fail("no window", "");
  }
  RequestSelection selection;
  if (!store.Slowest(selection, 10).ok()) Fail("no requests", "");
  store.Request(0).IgnoreError();  // There may be none.
}

// Each kind of change, and what is worth one.
void Predict(const TraceBytes& file) {
  WhatIfOptions options;
  options.skip_ns = 0;
  options.replications = 2;
  options.rank = true;
  for (const Scenario& scenario : EachChange()) {
    options.scenarios = {scenario};
    BuildWhatIf(std::span(&file, 1), options).IgnoreError();
  }
}

// With itself: each side is the same.
void CompareFile(const TraceBytes& file) {
  NameTable names;
  SideReader reader(&names);
  ReportOptions options;
  options.watcher = &reader;
  if (!BuildReport(std::span(&file, 1), options).ok()) return;
  const Recording recording = reader.TakeFiles();
  const Side side = SideOf(std::span(&recording, 1));
  const Comparison found =
      Compare(side, side, {.resamples = 200, .names = &names.names()});
  for (const PercentileDifference& each : found.percentiles) {
    if (each.ratio.value != 0) Fail("a side is slower than itself", "");
  }
}

// What other tools are given.
std::unique_ptr<Handover> HandoverOf(bool spans) {
  constexpr char kNowhere[] = "/dev/null";
  if (!spans) return *PerfettoTrace::Create(kNowhere, "");
  return *SpanLog::Create({.path = kNowhere, .sample = 1});
}

}  // namespace
}  // namespace edgewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgewise;  // NOLINT
  if (size == 0) return 0;
  const uint8_t mode = data[0];
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  if ((mode & kReseal) != 0) Reseal(&bytes);
  const TraceBytes file{"1-0.ewt", bytes};
  ReportOptions options;
  options.percentile = (mode & 4) != 0 ? 99 : 50;
  options.slowest = 3;
  if ((mode & 8) != 0) options.request = 1;
  std::string columns;
  if ((mode & 16) != 0) options.columns = &columns;
  std::unique_ptr<TraceStore> store;
  if ((mode & 48) == 48) {
    const std::string place = std::filesystem::temp_directory_path();
    auto created = TraceStore::Create(std::span(&place, 1));
    if (created.ok()) store = *std::move(created);
    options.store = store.get();
  }
  static const std::string tables = TableDirectory();
  if ((mode & 128) != 0) options.tables = tables;
  std::unique_ptr<Handover> handover;
  if ((mode & 48) == 32) handover = HandoverOf((mode & 4) != 0);
  options.watcher = handover.get();
  const auto report = BuildReport(std::span(&file, 1), options);
  if ((mode & 128) != 0) Empty(tables);
  if (report.ok() && (mode & kCheck) != 0) CheckSums(*report);
  if (report.ok() && store != nullptr) Ask(*store);
  if ((mode & 64) != 0) {
    Predict(file);
    CompareFile(file);
  }
  return 0;
}
