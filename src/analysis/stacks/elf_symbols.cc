#include "analysis/stacks/elf_symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

constexpr uint64_t kMaxTableBytes = uint64_t{256} << 20;
constexpr size_t kMaxSections = 4096;
constexpr size_t kMaxName = 4096;

// As the source has it, without its parameters.
std::string Demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return name;
  std::string whole(text.get());
  // "(anonymous namespace)::" and "operator()" begin with a parenthesis, too.
  for (size_t at = 1; at < whole.size(); ++at) {
    if (whole[at] != '(' || whole[at - 1] == ':' ||
        std::string_view(whole).substr(0, at).ends_with("operator")) {
      continue;
    }
    whole.resize(at);
  }
  return whole;
}
}  // namespace

class ElfSymbols::File {
 public:
  explicit File(const std::string& path)
      // What is no regular file might never be read.
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat found {};
    if (fd_ >= 0 && fstat(fd_, &found) == 0 && S_ISREG(found.st_mode)) {
      size_ = static_cast<uint64_t>(found.st_size);
    }
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // All of it, or nothing.
  std::string Bytes(uint64_t offset, uint64_t size) const {
    if (size > kMaxTableBytes || offset > size_ || size > size_ - offset) {
      return {};
    }
    std::string bytes(size, '\0');
    uint64_t done = 0;
    while (done < size) {
      const ssize_t got = pread(fd_, bytes.data() + done, size - done,
                                static_cast<off_t>(offset + done));
      if (got <= 0) return {};
      done += static_cast<uint64_t>(got);
    }
    return bytes;
  }

  template <typename T>
  std::vector<T> Table(uint64_t offset, uint64_t size) const {
    const std::string bytes = Bytes(offset, size);
    std::vector<T> table(bytes.size() / sizeof(T));
    if (!table.empty()) {
      std::memcpy(table.data(), bytes.data(), table.size() * sizeof(T));
    }
    return table;
  }

  std::vector<Elf64_Shdr> Sections() const {
    const std::vector<Elf64_Ehdr> headers =
        Table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
    if (headers.empty()) return {};
    const Elf64_Ehdr& header = headers.front();
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shnum > kMaxSections) {
      return {};
    }
    return Table<Elf64_Shdr>(header.e_shoff,
                             header.e_shnum * sizeof(Elf64_Shdr));
  }

  std::string Build(const std::vector<Elf64_Shdr>& sections) const {
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != SHT_NOTE) continue;
      const std::string notes = Bytes(section.sh_offset, section.sh_size);
      Elf64_Nhdr note;
      constexpr size_t kText = sizeof(note) + 4;  // after "GNU\0"
      if (notes.size() < kText) continue;
      std::memcpy(&note, notes.data(), sizeof(note));
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          note.n_descsz <= notes.size() - kText) {
        return absl::BytesToHexString(
            absl::string_view(notes.data() + kText, note.n_descsz));
      }
    }
    return absl::StrCat("bytes ", size_);
  }

 private:
  const int fd_;
  uint64_t size_ = 0;
};

std::string ElfSymbols::BuildOf(const std::string& path) {
  const File file(path);
  const std::vector<Elf64_Shdr> sections = file.Sections();
  return sections.empty() ? "" : file.Build(sections);
}

std::unique_ptr<ElfSymbols> ElfSymbols::Read(const std::string& path,
                                             std::string_view build) {
  const File file(path);
  const std::vector<Elf64_Shdr> sections = file.Sections();
  if (sections.empty() || file.Build(sections) != build) return nullptr;
  auto symbols = std::make_unique<ElfSymbols>();
  // The whole table, or else what others link to.
  for (const uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    const auto table =
        std::find_if(sections.begin(), sections.end(),
                     [&](const auto& each) { return each.sh_type == type; });
    if (table == sections.end() || table->sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[table->sh_link];
    symbols->names_ = file.Bytes(names.sh_offset, names.sh_size);
    if (symbols->names_.empty() || symbols->names_.back() != '\0') continue;
    for (const Elf64_Sym& symbol :
         file.Table<Elf64_Sym>(table->sh_offset, table->sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 ||
          symbol.st_name >= symbols->names_.size() ||
          symbol.st_value > UINT64_MAX - symbol.st_size) {
        continue;
      }
      symbols->symbols_.push_back(
          {symbol.st_value, symbol.st_value + symbol.st_size, symbol.st_name});
    }
    if (!symbols->symbols_.empty()) break;
  }
  std::sort(symbols->symbols_.begin(), symbols->symbols_.end(),
            [](const Symbol& a, const Symbol& b) {
              return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
            });
  return symbols;
}

std::string ElfSymbols::NameOf(uint64_t address) const {
  auto at = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](uint64_t value, const Symbol& symbol) {
                               return value < symbol.begin;
                             });
  if (at == symbols_.begin()) return {};
  --at;
  if (address >= at->end) return {};
  const char* const name = names_.data() + at->name;
  return std::strlen(name) <= kMaxName ? Demangled(name) : std::string(name);
}

}  // namespace edgewise
