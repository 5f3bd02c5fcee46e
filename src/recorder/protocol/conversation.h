#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "recorder/protocol/hash.h"
#include "recorder/protocol/operation_text.h"
#include "recorder/protocol/protocol.h"
#include "recorder/protocol/statements.h"

namespace edgewise {

class Cursor;
struct Inquiry;

// What one outgoing connection speaks, and what it asks. It is told the first
// bytes of each question and of each answer, and finds names that are no
// secret: verbs, tables, folded paths. A literal, key, parameter, credential,
// comment, header or query string never is part of a name
// (docs/dependencies.md).
//
// It allocates nothing, locks nothing and calls nothing of the system. What it
// does not understand has no name; it never guesses one. Loop thread only.
class Conversation {
 public:
  // A new connection. The port is a hint: it decides only what bytes leave
  // open. Without `statements` prepared statements are not followed.
  void Begin(uint16_t peer_port, bool datagram,
             Statements* statements = nullptr);

  // A question leaves: `data` is the first write after a read, or as much of it
  // as is at hand; 1 KB is enough. True: `operation` was filled, and holds from
  // now on; it may be empty. False: the operation told last holds on.
  bool Question(const void* data, size_t bytes, OperationText* operation) {
    goes_on_ = false;
    if (IsLastQuestion(data, bytes)) return false;
    return NewQuestion(data, bytes, operation);
  }

  // The first bytes of what the server sends, before the first question too:
  // some servers speak first.
  void Answer(const void* data, size_t bytes);

  Protocol protocol() const { return protocol_; }
  // What it was told last was the rest of a question.
  bool goes_on() const { return goes_on_; }

 private:
  // Whether the bytes that decided the last question's name are the same.
  bool IsLastQuestion(const void* data, size_t bytes) const {
    const auto* at = static_cast<const uint8_t*>(data);
    return bytes >= decided_end_ && decided_end_ != 0 &&
           (decided_bytes_ == 0 || bytes == decided_bytes_) &&
           (at[0] & first_byte_mask_) == first_byte_ &&
           HashBytes(at + decided_begin_, decided_end_ - decided_begin_, 0) ==
               decided_hash_;
  }
  bool NewQuestion(const void* data, size_t bytes, OperationText* operation);
  bool Recognise(const Cursor& cursor);
  void Remember(const void* data, size_t bytes, const Inquiry& question);
  void Http1Answer(Cursor cursor);

  Statements* statements_{};
  uint64_t decided_hash_{};
  uint64_t operation_hash_{};  // of the text told last
  uint32_t connection_{};
  uint16_t decided_begin_{};
  uint16_t decided_end_{};    // 0: the next question is looked at in any case
  uint16_t decided_bytes_{};  // 0: however long it is
  uint16_t port_{};
  uint16_t state_{};  // of ConversationState
  uint8_t first_byte_{};
  uint8_t first_byte_mask_{};  // 0: it does not matter
  uint8_t unrecognised_{};     // questions
  bool goes_on_{};
  Protocol protocol_{};
};
static_assert(sizeof(Conversation) <= 64);
static_assert(std::is_trivially_copyable_v<Conversation>);

}  // namespace edgewise
