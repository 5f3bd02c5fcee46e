#pragma once

#include <link.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recorder/recorder.h"

namespace edgewise {

// A place in native code, as a trace tells it.
struct NativePlace {
  uint32_t module = 0;   // a string's id: "PATH\nBUILD"; 0: it is in none
  uint64_t address = 0;  // as the module's own file has it
};

// The programs and libraries that are loaded into this process. BUILD is the
// file's build id in hexadecimal; without one it is "bytes N". One thread.
class NativeModules {
 public:
  explicit NativeModules(Recorder* recorder) : recorder_(recorder) {}

  NativePlace PlaceOf(uintptr_t pc);

 private:
  struct Range {  // of code
    uintptr_t begin;
    uintptr_t end;
    uintptr_t base;
    uint32_t module;
  };
  std::optional<NativePlace> Find(uintptr_t pc) const;
  void Load();
  void Add(const dl_phdr_info& info);

  Recorder* const recorder_;
  std::vector<Range> ranges_;
  uint64_t loads_ = 0;  // as the loader counts them
};

}  // namespace edgewise
