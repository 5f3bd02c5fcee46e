#pragma once

#include <string_view>

namespace edgewise {

using namespace std::string_view_literals;  // NOLINT: bytes with zeros in them

// One write of a conversation, as it went over the wire.
struct Capture {
  char direction;          // '>' a question, '<' an answer
  std::string_view bytes;  // the first ones
  const char* operation;   // that the question is named; null: none is told
};

}  // namespace edgewise
