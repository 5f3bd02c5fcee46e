#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/operation_text.h"
#include "recorder/recorder.h"

namespace edgewise {

// Where a file lies, as far as that may be told: the first two directories of
// its path, ids folded: /var/lib for /var/lib/app/7/data.json, ./data for
// data/users.json. Never the last part, which is the file's name.
void AppendFilePlace(std::string_view path, OperationText* place);

// Names the places of the files of one thread. Loop thread only.
class FilePlaces {
 public:
  // `whole_paths`: all of the path, and not its place.
  FilePlaces(Recorder* recorder, bool whole_paths)
      : recorder_(recorder), whole_paths_(whole_paths) {}

  // A string id; 0: none. Locks for a place that is new, or was not used for
  // long.
  uint32_t NameOf(std::string_view path);

 private:
  struct Name {
    uint32_t id = 0;
    OperationText place;
  };
  static constexpr size_t kNames = 64;
  // Beyond so many, paths are told as their places: a trace holds 65,536
  // strings.
  static constexpr uint32_t kMostPaths = 4096;
  static constexpr size_t kLongestPath = 1024;

  uint32_t NameOfPath(std::string_view path);
  uint32_t NameOfPlace(std::string_view path);

  Recorder* const recorder_;
  const bool whole_paths_;
  uint32_t paths_ = 0;
  // The paths that were asked for lately, told apart by 64 bits of hash.
  struct Path {
    uint64_t hash = 0;
    uint32_t name = 0;  // 0: none
  };
  static constexpr size_t kPaths = 256;
  std::array<Path, kPaths> recent_{};
  std::array<Name, kNames> names_{};  // by hash: a newcomer takes the place
};

}  // namespace edgewise
