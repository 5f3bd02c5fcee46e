#include "hooks/native_modules.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

std::string PathOf(const dl_phdr_info& info) {
  if (info.dlpi_name != nullptr && info.dlpi_name[0] != '\0') {
    return info.dlpi_name;
  }
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "";
}

// In the notes of one segment; empty: there is none.
std::string BuildIdIn(const char* at, size_t size) {
  constexpr std::string_view kOwner("GNU\0", 4);
  const auto padded = [](size_t bytes) { return (bytes + 3) & ~size_t{3}; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    const size_t name = sizeof(note);
    const size_t text = name + padded(note.n_namesz);
    const size_t end = text + padded(note.n_descsz);
    if (end > size) break;
    if (note.n_type == NT_GNU_BUILD_ID &&
        std::string_view(at + name, note.n_namesz) == kOwner) {
      return absl::BytesToHexString(
          absl::string_view(at + text, note.n_descsz));
    }
    at += end;
    size -= end;
  }
  return "";
}

std::string BuildOf(const dl_phdr_info& info, const std::string& path) {
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    std::string id = BuildIdIn(
        reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr),
        header.p_memsz);
    if (!id.empty()) return id;
  }
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return "";
  return absl::StrCat("bytes ", found.st_size);
}
}  // namespace

NativePlace NativeModules::PlaceOf(uintptr_t pc) {
  std::optional<NativePlace> place = Find(pc);
  if (!place.has_value()) {
    Load();
    place = Find(pc);
  }
  return place.value_or(NativePlace{});
}

std::optional<NativePlace> NativeModules::Find(uintptr_t pc) const {
  for (const Range& range : ranges_) {
    if (pc >= range.begin && pc < range.end) {
      return NativePlace{range.module, pc - range.base};
    }
  }
  return std::nullopt;
}

// If any was loaded or unloaded since.
void NativeModules::Load() {
  struct Pass {
    NativeModules* self;
    bool first = true;
  } pass{this};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* pass_) {
        auto* const pass = static_cast<Pass*>(pass_);
        if (std::exchange(pass->first, false)) {
          const uint64_t loads = info->dlpi_adds + info->dlpi_subs;
          if (std::exchange(pass->self->loads_, loads) == loads) return 1;
          pass->self->ranges_.clear();
        }
        pass->self->Add(*info);
        return 0;
      },
      &pass);
}

void NativeModules::Add(const dl_phdr_info& info) {
  uint32_t module = 0;
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    if (module == 0) {
      const std::string path = PathOf(info);
      module = recorder_->InternString(
          absl::StrCat(path, "\n", BuildOf(info, path)));
    }
    const uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    ranges_.push_back({begin, begin + header.p_memsz, info.dlpi_addr, module});
  }
}

}  // namespace edgewise
