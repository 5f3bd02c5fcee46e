// Writes the fuzzer's seed corpus: small traces that use every kind of record.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "test/native/analysis/heap_record.h"
#include "test/native/analysis/random_trace.h"
#include "test/native/analysis/stack_samples.h"
#include "test/native/analysis/trace_builder.h"

namespace edgewise {
namespace {

void Write(const std::filesystem::path& path, char mode,
           const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << mode << bytes;
}

// What requests wait for: the pool, files, a child process, a connection that
// TCP has measured.
std::string Waits() {
  TraceBuilder t;
  t.Meta().Start(0, 1);
  t.Connection(2, 1, 9, ConnectionRole::kOpened,
               "cache.internal (10.0.0.7:80)");
  t.Connection(3, 2, 11, ConnectionRole::kChild, "convert");
  t.Connection(4, 0, -1, ConnectionRole::kChild, "convert");
  t.Use(5, 1, UseKind::kQuestion, "h2 GET /users/:id");
  const uint64_t job = t.Register();
  t.Event(0, 10, {EventType::kTcpRead, 0, 5, ReadyKind::kObserved, 0, 7});
  t.Work(105, 70, "/var/lib");
  t.Event(105, 115, {EventType::kFsRead, 100, job, ReadyKind::kCompleted});
  t.Work(120, -1, "", 0, WorkPlace::kRing);
  t.Event(120, 125, {EventType::kFsStat, 118, job});
  t.Event(130, 135,
          {EventType::kPipeRead, 129, job, ReadyKind::kObserved, 0, 11});
  t.Use(140, 1, UseKind::kMeasured, "").Use(141, 1, UseKind::kClosed);
  t.End(150, 1);
  t.Event(138, 160,
          {EventType::kTcpRead, 137, job, ReadyKind::kObserved, 0, 9});
  t.Finish(200);
  return t.Bytes();
}

// Stacks, whole and damaged, that were sampled in a request and behind it.
std::string Stacks() {
  TraceBuilder t;
  t.Meta();
  const uint32_t outer = AddFrame(0, "outer", 10, &t);
  const uint32_t inner = AddFrame(outer, "inner", 20, &t);
  const uint32_t damaged = t.String("77 1 2 3");
  t.Start(100, 1);
  AddSample(150, 160, 50, inner, &t);
  AddSample(200, 205, 40, damaged, &t);
  t.Gc(GcType::kScavenge, 210, 230);
  t.Raw(HeapRecord(t, 215, 900'000, 300'000, 5'000'000, 5'100'000, 1 << 20));
  AddSample(220, 250, 10, outer, &t);
  t.Event(100, 300, {EventType::kTcpRead, 90, 5});
  AddSample(350, 352, 100, 0, &t);
  t.End(390, 1);
  t.Event(320, 400, {EventType::kTimer, 120, 6, ReadyKind::kDue});
  t.Finish(500);
  return t.Bytes();
}

}  // namespace
}  // namespace edgewise

int main(int argc, char** argv) {
  using namespace edgewise;  // NOLINT
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path dir = argv[1];
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  for (uint32_t seed = 0; seed < 64; ++seed) {
    RandomTraceOptions options;
    options.seed = seed;
    options.events = 4 + seed % 24;
    options.faults = seed % 3 == 0;
    options.patched = seed % 2 == 0;
    const std::string bytes = RandomTrace(options);
    for (const char mode : {0, 3, 15, 31, 63}) {
      Write(dir / ("random-" + std::to_string(seed) + "-" +
                   std::to_string(int{mode})),
            mode, bytes);
    }
  }
  for (const char mode : {0, 3, 15, 31, 63}) {
    Write(dir / ("waits-" + std::to_string(int{mode})), mode, Waits());
    Write(dir / ("stacks-" + std::to_string(int{mode})), mode, Stacks());
  }
  if (!std::filesystem::exists(dir / "random-0-0")) {
    std::fprintf(stderr, "make_corpus: cannot write to %s\n", argv[1]);
    return 1;
  }
  return 0;
}
