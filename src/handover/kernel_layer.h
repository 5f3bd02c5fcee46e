#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

// A line of what bpftrace has told of a thread's events (lib/kernel/layer.bt).
// Times: CLOCK_MONOTONIC, ns.
struct KernelLine {
  char kind;  // E, S, P, W, B
  uint32_t thread;
  uint64_t event;
  int64_t begin_ns;
  int64_t end_ns;
  std::vector<int64_t> numbers;  // what follows
  std::string_view rest;         // a name after them; it may be empty
};

// Nothing where it is none, or does not say all.
std::optional<KernelLine> ParseKernelLine(std::string_view line);

// Visits the lines that lie beside a trace of `process`, in the order in which
// they were told, if there are any.
void ForEachKernelLine(const std::string& directory, uint32_t process,
                       const std::function<void(const KernelLine&)>& visit);

}  // namespace edgewise
