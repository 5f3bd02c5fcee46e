// Writes the fuzzer's seed corpus: small traces that use every kind of record.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "test/native/analysis/random_trace.h"
#include "test/native/analysis/trace_builder.h"

namespace edgewise {
namespace {

void Write(const std::filesystem::path& path, char mode,
           const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << mode << bytes;
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
    for (const char mode : {0, 3, 15}) {
      Write(dir / ("random-" + std::to_string(seed) + "-" +
                   std::to_string(int{mode})),
            mode, bytes);
    }
  }
  if (!std::filesystem::exists(dir / "random-0-0")) {
    std::fprintf(stderr, "make_corpus: cannot write to %s\n", argv[1]);
    return 1;
  }
  return 0;
}
