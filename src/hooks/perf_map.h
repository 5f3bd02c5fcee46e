#pragma once

#include <v8.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace edgewise {

// Tells perf and bpftrace which JavaScript function a machine address belongs
// to: /tmp/perf-PID.map, as V8's --perf-basic-prof writes it, but from any
// moment on. All threads of the process share the file.
class PerfMap {
 public:
  struct Begun {
    std::string path;
    size_t functions = 0;  // compiled ones that this thread had
    int64_t pause_ns = 0;  // for which it stood
  };

  // Isolate's thread. Writes what is compiled, and from now on what will be.
  // Takes the place of any other v8::JitCodeEventHandler. AlreadyExists: it
  // does so already; others: the file cannot be written.
  static absl::StatusOr<Begun> Start(v8::Isolate* isolate);

  // Isolate's thread. Ends that; the file stays, as what perf has recorded
  // needs it. No effect where nothing was begun.
  static void Stop(v8::Isolate* isolate);
};

}  // namespace edgewise
