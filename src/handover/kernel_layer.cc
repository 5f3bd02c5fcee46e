#include "handover/kernel_layer.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace edgewise {
namespace {

// How many numbers follow the times, by kind.
int NumbersOf(char kind) {
  switch (kind) {
    case 'E':
      return 8;
    case 'S':
    case 'P':
      return 1;
    case 'W':
    case 'B':
      return 2;
    default:
      return -1;
  }
}

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  template <typename Number>
  bool Take(Number* number) {
    const size_t end = std::min(text_.find(' '), text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return absl::SimpleAtoi(absl::string_view(word.data(), word.size()),
                            number);
  }
  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace

std::optional<KernelLine> ParseKernelLine(std::string_view line) {
  if (line.size() < 2 || line[1] != ' ') return std::nullopt;
  const int numbers = NumbersOf(line[0]);
  if (numbers < 0) return std::nullopt;
  KernelLine found{line[0], 0, 0, 0, 0, {}, {}};
  Words words(line.substr(2));
  int64_t took_ns = 0;
  if (!words.Take(&found.thread) || !words.Take(&found.event) ||
      !words.Take(&found.end_ns) || !words.Take(&took_ns) || took_ns < 0 ||
      found.end_ns < took_ns) {
    return std::nullopt;
  }
  found.begin_ns = found.end_ns - took_ns;
  // Who woke it, or ran instead, has a number before its name.
  const bool named = found.kind == 'W' || found.kind == 'P';
  found.numbers.resize(static_cast<size_t>(numbers));
  for (int64_t& number : found.numbers) {
    if (!words.Take(&number)) return std::nullopt;
  }
  if (named) found.rest = words.rest();
  return found;
}

void ForEachKernelLine(const std::string& directory, uint32_t process,
                       const std::function<void(const KernelLine&)>& visit) {
  // The first, and those that were made later: kernel-PID.txt, kernel-PID.1.txt
  const std::string base = absl::StrCat("kernel-", process);
  std::error_code error;
  std::vector<std::string> files;
  std::filesystem::directory_iterator entries(directory, error);
  for (const auto end = std::filesystem::directory_iterator();
       !error && entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (absl::StartsWith(name, base + ".") && absl::EndsWith(name, ".txt")) {
      files.push_back(entries->path().string());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      if (const auto parsed = ParseKernelLine(line)) visit(*parsed);
    }
  }
}

}  // namespace edgewise
