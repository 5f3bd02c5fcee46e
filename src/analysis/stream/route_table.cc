#include "analysis/stream/route_table.h"

namespace edgewise {

RouteTable::RouteTable() {
  for (const char* text :
       {"(unknown route)", "(unfinished)", "(other routes)"}) {
    numbers_.emplace(text, size());
    texts_.emplace_back(text);
  }
}

uint32_t RouteTable::Intern(std::string_view text) {
  const auto it = numbers_.find(absl::string_view(text.data(), text.size()));
  if (it != numbers_.end()) return it->second;
  if (texts_.size() > kOther + kMaxRoutes && !kept_.contains(text)) {
    overflowed_ = true;
    return kOther;
  }
  const uint32_t route = size();
  numbers_.emplace(std::string(text), route);
  texts_.emplace_back(text);
  return route;
}

}  // namespace edgewise
