#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace edgewise {

// The routes of all files of one analysis, numbered in order of appearance.
// Beyond kMaxRoutes distinct texts (a server whose paths were not folded) the
// rest shares one entry, so that memory stays bounded.
class RouteTable {
 public:
  static constexpr size_t kMaxRoutes = 1000;
  static constexpr uint32_t kUnknown = 0;     // "(unknown route)"
  static constexpr uint32_t kUnfinished = 1;  // "(unfinished)"
  static constexpr uint32_t kOther = 2;       // "(other routes)"

  RouteTable();
  // This route never shares an entry, however late it appears.
  void Keep(std::string_view text) { kept_.insert(std::string(text)); }
  uint32_t Intern(std::string_view text);
  const std::string& Text(uint32_t route) const { return texts_[route]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }
  bool overflowed() const { return overflowed_; }

 private:
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  bool overflowed_ = false;
  std::set<std::string, std::less<>> kept_;
};

}  // namespace edgewise
