#include "hooks/import_table.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace edgewise {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr uint32_t kGlobalData = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
#else
constexpr uint32_t kJumpSlot = UINT32_MAX;
constexpr uint32_t kGlobalData = UINT32_MAX;
#endif

// Whether `address` lies in a segment of the object that is of type `type`.
bool LiesIn(const dl_phdr_info& object, uint32_t type, const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address) - object.dlpi_addr;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    if (header.p_type == type && at >= header.p_vaddr &&
        at < header.p_vaddr + header.p_memsz) {
      return true;
    }
  }
  return false;
}

// Node itself and, where they are shared objects, libnode and libuv. Any object
// may lie in a directory of such a name. This library's own calls must reach
// the system, or they would call themselves.
bool CallsForNode(const dl_phdr_info& object, const void* own) {
  if (LiesIn(object, PT_LOAD, own)) {
    return false;
  }
  const std::string_view path = object.dlpi_name;
  if (path.empty()) return true;  // the program
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libnode.so") || name.starts_with("libuv.so");
}

}  // namespace

void ImportTable::Find(std::span<const Replacement> replacements,
                       const void* own) {
  replacements_ = replacements;
  own_ = own;
  slots_.clear();
  found_.clear();
  dl_iterate_phdr(&CollectObject, this);
}

int ImportTable::CollectObject(dl_phdr_info* object, size_t, void* table) {
  auto* const self = static_cast<ImportTable*>(table);
  if (CallsForNode(*object, self->own_)) self->Collect(*object);
  return 0;
}

void ImportTable::Collect(const dl_phdr_info& object) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr +
                                                   object.dlpi_phdr[i].p_vaddr);
    }
  }
  if (dynamic == nullptr) return;
  const ElfW(Rela)* jump = nullptr;
  const ElfW(Rela)* rela = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  size_t jump_bytes = 0;
  size_t rela_bytes = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const ElfW(Addr) pointer = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_JMPREL:
        jump = reinterpret_cast<const ElfW(Rela)*>(pointer);
        break;
      case DT_PLTRELSZ:
        jump_bytes = dynamic->d_un.d_val;
        break;
      case DT_RELA:
        rela = reinterpret_cast<const ElfW(Rela)*>(pointer);
        break;
      case DT_RELASZ:
        rela_bytes = dynamic->d_un.d_val;
        break;
      case DT_SYMTAB:
        symbols = reinterpret_cast<const ElfW(Sym)*>(pointer);
        break;
      case DT_STRTAB:
        strings = reinterpret_cast<const char*>(pointer);
        break;
      default:
        break;
    }
  }
  if (symbols == nullptr || strings == nullptr) return;
  if (jump != nullptr) {
    CollectRelocations(object, jump, jump_bytes / sizeof(*jump), symbols,
                       strings);
  }
  if (rela != nullptr) {
    CollectRelocations(object, rela, rela_bytes / sizeof(*rela), symbols,
                       strings);
  }
}

void ImportTable::CollectRelocations(const dl_phdr_info& object,
                                     const ElfW(Rela) * begin, size_t count,
                                     const ElfW(Sym) * symbols,
                                     const char* strings) {
  for (const ElfW(Rela)* entry = begin; entry != begin + count; ++entry) {
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(entry->r_info));
    if (type != kJumpSlot && type != kGlobalData) continue;
    const char* name = strings + symbols[ELF64_R_SYM(entry->r_info)].st_name;
    for (const Replacement& replacement : replacements_) {
      if (std::strcmp(name, replacement.symbol) != 0) continue;
      auto** slot =
          reinterpret_cast<void**>(object.dlpi_addr + entry->r_offset);
      slots_.push_back({slot, *slot, replacement.function,
                        LiesIn(object, PT_GNU_RELRO, slot)});
      found_.push_back(replacement.symbol);
    }
  }
}

bool ImportTable::Has(std::string_view symbol) const {
  for (const std::string_view found : found_) {
    if (found == symbol) return true;
  }
  return false;
}

// A pointer-sized aligned store: other threads see the old or the new function.
bool ImportTable::Store(void** slot, void* value, bool relro) {
  const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* const page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) &
                                             ~(page_size - 1));
  if (relro && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  std::atomic_ref<void*>(*slot).store(value, std::memory_order_release);
  if (relro) mprotect(page, page_size, PROT_READ);
  return true;
}

bool ImportTable::Write(bool redirect) {
  for (const PatchedSlot& patched : slots_) {
    void* const value = redirect ? patched.replacement : patched.original;
    if (*patched.slot == value) continue;
    if (!Store(patched.slot, value, patched.relro)) return false;
  }
  return true;
}

}  // namespace edgewise
