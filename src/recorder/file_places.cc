#include "recorder/file_places.h"

#include <algorithm>

#include "recorder/protocol/fold.h"
#include "recorder/protocol/hash.h"

namespace edgewise {
namespace {

// The first two directories of a path, `.` and `..` resolved as far as that
// goes by its text.
struct Directories {
  static constexpr size_t kTold = 2;

  std::string_view names[kTold];
  size_t depth = 0;
  bool above = false;  // of where a relative path begins

  void Enter(std::string_view name) {
    if (name.empty() || name == ".") return;
    if (name == "..") {
      if (depth > 0) {
        --depth;
      } else {
        above = true;
      }
      return;
    }
    if (depth < kTold) names[depth] = name;
    ++depth;
  }
};

Directories DirectoriesOf(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  Directories directories;
  size_t at = 0;
  for (size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', at)) {
    directories.Enter(path.substr(at, slash - at));
    at = slash + 1;
  }
  // Not the file's name; but that of a directory, where it leads out of one.
  if (path.substr(at) == "..") directories.Enter("..");
  return directories;
}

// Ids as they are. No part of a name that does not fit.
void AppendPlace(std::string_view path, OperationText* place) {
  const Directories directories = DirectoriesOf(path);
  const bool absolute = path.starts_with('/');
  if (!absolute) place->Append(directories.above ? ".." : ".");
  const size_t told = std::min(directories.depth, Directories::kTold);
  for (size_t i = 0; i < told; ++i) {
    const std::string_view name = directories.names[i];
    if (place->length + name.size() + 1 > OperationText::kCapacity) break;
    place->Append('/');
    place->Append(name);
  }
  if (place->length == 0) place->Append('/');
}

void AppendFolded(OperationText plain, OperationText* folded) {
  // What is special in a URL is not in a path, and what cannot be told in a
  // name was made a question mark.
  std::replace_if(
      plain.text, plain.text + plain.length,
      [](char c) { return c == '?' || c == '#'; }, '_');
  const std::string_view place = plain.view();
  // Of a relative one the begin is no name.
  const size_t begin = std::min(place.find('/'), place.size());
  folded->Append(place.substr(0, begin));
  AppendFoldedPath(place.substr(begin), /*complete=*/true, folded);
}

}  // namespace

void AppendFilePlace(std::string_view path, OperationText* place) {
  OperationText plain;
  AppendPlace(path, &plain);
  AppendFolded(plain, place);
}

uint32_t FilePlaces::NameOf(std::string_view path) {
  if (path.empty()) return 0;
  const uint64_t hash = HashBytes(path.data(), path.size(), 0);
  Path& known = recent_[hash % kPaths];
  if (known.name != 0 && known.hash == hash) return known.name;
  uint32_t name = 0;
  if (whole_paths_ && path.size() <= kLongestPath) name = NameOfPath(path);
  if (name == 0) name = NameOfPlace(path);
  known = {hash, name};
  return name;
}

uint32_t FilePlaces::NameOfPlace(std::string_view path) {
  OperationText place;
  AppendPlace(path, &place);
  const uint64_t hash = HashBytes(place.text, place.length, 0);
  Name& name = names_[hash % kNames];
  if (name.id != 0 && name.place.view() == place.view()) return name.id;
  OperationText folded;
  AppendFolded(place, &folded);
  name = {recorder_->InternString(folded.view()), place};
  return name.id;
}

// It costs more, and is asked for.
uint32_t FilePlaces::NameOfPath(std::string_view path) {
  if (paths_ == kMostPaths) return 0;
  const uint32_t name = recorder_->InternString(path);
  paths_ = std::max(paths_, std::min(name, kMostPaths));
  return name;
}

}  // namespace edgewise
