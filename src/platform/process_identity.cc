#include "platform/process_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace edgewise {
namespace {

std::string Contents(const char* path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// When it began, in the kernel's ticks since the boot: field 22 of proc(5).
// Before it stands the program's name, which may hold anything.
std::string StartOf(const std::string& stat) {
  constexpr size_t kField = 22 - 3;
  const size_t name_end = stat.rfind(')');
  // A /proc of another namespace is none for this process.
  if (!stat.starts_with(absl::StrCat(getpid(), " ")) ||
      name_end == std::string::npos || name_end + 2 > stat.size()) {
    return "";
  }
  const std::vector<std::string> fields =
      absl::StrSplit(stat.substr(name_end + 2), ' ');
  return fields.size() > kField ? fields[kField] : "";
}

std::string Known() {
  struct stat space;
  const std::string boot = Contents("/proc/sys/kernel/random/boot_id");
  const std::string start = StartOf(Contents("/proc/self/stat"));
  if (boot.empty() || start.empty() || stat("/proc/self/ns/pid", &space) != 0) {
    return "";
  }
  return absl::StrCat(boot, " ", space.st_ino, " ", getpid(), " ", start);
}

// FNV-1a: no secret, only short.
uint64_t HashOf(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  }
  return hash;
}

std::string Find() {
  const std::string known = Known();
  uint64_t number = HashOf(known);
  if (known.empty()) {
    std::random_device random;
    number = uint64_t{random()} << 32 | random();
  }
  return absl::StrCat(absl::Hex(number, absl::kZeroPad16));
}

}  // namespace

const std::string& ProcessIdentity() {
  static const auto& identity = *new std::string(Find());
  return identity;
}

}  // namespace edgewise
