#pragma once

#include <string>
#include <string_view>

namespace edgewise {

using namespace std::string_literals;       // NOLINT: bytes with zeros in them
using namespace std::string_view_literals;  // NOLINT

// One write of a conversation, as it went over the wire.
struct Capture {
  char direction;          // '>' a question, '<' an answer
  std::string_view bytes;  // the first ones
  const char* operation;   // that the question is named; null: none is told
};

}  // namespace edgewise
