#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

// The functions of a program or library, by what its file says. A file may say
// anything: what does not fit is left out.
class ElfSymbols {
 public:
  // A file's build id in hexadecimal, or "bytes N" where it has none; empty: it
  // is no ELF file of 64 bits that can be read.
  static std::string BuildOf(const std::string& path);

  // Null: it is none, or not of this build.
  static std::unique_ptr<ElfSymbols> Read(const std::string& path,
                                          std::string_view build);

  // The function that has `address` in it, as its source spells it; empty:
  // none is known, as in a file whose symbols were stripped.
  std::string NameOf(uint64_t address) const;

 private:
  struct Symbol {
    uint64_t begin;
    uint64_t end;
    uint32_t name;  // where in `names_`
  };
  class File;

  std::vector<Symbol> symbols_;  // by address
  std::string names_;
};

}  // namespace edgewise
