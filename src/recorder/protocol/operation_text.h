#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace edgewise {

// The name of a question: "GET /users/:id", "SELECT users". Of fixed size, so
// that it can be filled where nothing may be allocated; what does not fit is
// left out. An empty one says that the question has no name that may be told.
// Printable ASCII only: whatever else came over the wire is a question mark.
struct OperationText {
  static constexpr size_t kCapacity = 95;

  char text[kCapacity];
  uint8_t length = 0;

  std::string_view view() const { return {text, length}; }
  void clear() { length = 0; }

  void Append(char c) {
    if (length == kCapacity) return;
    text[length++] = c >= ' ' && c <= '~' ? c : '?';
  }
  void Append(std::string_view more) {
    for (const char c : more) Append(c);
  }
  void AppendLowerCase(char c) {
    Append(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  void Assign(std::string_view all) {
    clear();
    Append(all);
  }
};
static_assert(sizeof(OperationText) == 96);

}  // namespace edgewise
