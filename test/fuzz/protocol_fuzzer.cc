// Leads a conversation of arbitrary bytes. The first two bytes are the port's;
// then come messages, each with its direction and length before it.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "recorder/protocol/conversation.h"

namespace edgewise {
namespace {

constexpr uint8_t kAnswer = 0x80;
constexpr uint8_t kDatagrams = 1;

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "protocol_fuzzer: %s\n", what);
  std::abort();
}

void CheckText(const OperationText& text) {
  if (text.length > OperationText::kCapacity) Fail("a name is too long");
  for (const char c : text.view()) {
    if (c < ' ' || c > '~') Fail("a name is not printable");
  }
}

void Ask(Conversation& conversation, const uint8_t* data, size_t bytes) {
  OperationText text;
  if (conversation.Question(data, bytes, &text)) CheckText(text);
}

}  // namespace
}  // namespace edgewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgewise;  // NOLINT
  if (size < 3) return 0;
  static Statements statements;
  statements = Statements();
  Conversation conversation;
  conversation.Begin(static_cast<uint16_t>(data[0] << 8 | data[1]),
                     (data[2] & kDatagrams) != 0, &statements);
  size_t at = 3;
  while (size - at >= 2) {
    const bool answer = (data[at] & kAnswer) != 0;
    size_t bytes = static_cast<size_t>(data[at] & 0x0f) << 8 | data[at + 1];
    at += 2;
    if (bytes > size - at) bytes = size - at;
    // Memory of exactly that size: reading behind it is found.
    const auto message = std::make_unique<uint8_t[]>(bytes);
    if (bytes > 0) std::memcpy(message.get(), data + at, bytes);
    if (answer) {
      conversation.Answer(message.get(), bytes);
    } else {
      Ask(conversation, message.get(), bytes);
    }
    at += bytes;
  }
  return 0;
}
