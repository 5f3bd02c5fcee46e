#pragma once

#include <link.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace edgewise {

// A function that takes another's place.
struct Replacement {
  const char* symbol;
  void* function;
};

// The slots of Node's and libuv's global offset tables that lead to functions
// which are to be replaced. Calls are serialised by the caller.
class ImportTable {
 public:
  // Finds the slots anew, in Node itself and, where they are shared objects, in
  // libnode and libuv; `own`: something of this library, whose calls must reach
  // the system.
  void Find(std::span<const Replacement> replacements, const void* own);
  bool Has(std::string_view symbol) const;
  // Redirects the functions, or not. False: the kernel does not let it.
  bool Write(bool redirect);

 private:
  struct PatchedSlot {
    void** slot;
    void* original;
    void* replacement;
    bool relro;  // read-only but while it is written
  };

  static int CollectObject(dl_phdr_info* object, size_t, void* table);
  // Finds the slots of one loaded object.
  void Collect(const dl_phdr_info& object);
  void CollectRelocations(const dl_phdr_info& object, const ElfW(Rela) * begin,
                          size_t count, const ElfW(Sym) * symbols,
                          const char* strings);
  static bool Store(void** slot, void* value, bool relro);

  std::vector<PatchedSlot> slots_;
  std::vector<std::string_view> found_;
  std::span<const Replacement> replacements_;
  const void* own_ = nullptr;
};

}  // namespace edgewise
