// PostgreSQL's protocol 3: a startup packet, then messages with a letter.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

constexpr uint32_t kProtocol3 = 3;  // the major version, in the upper half
constexpr uint32_t kNewestMinor = 9;
constexpr uint32_t kCancel = 80877102;
constexpr uint32_t kSslRequest = 80877103;
constexpr uint32_t kGss = 80877104;
constexpr uint32_t kLongestMessage = 1U << 30;

const char* StartupName(uint32_t code) {
  if (code >> 16 == kProtocol3) return "startup";
  if (code == kCancel) return "cancel";
  if (code == kSslRequest || code == kGss) return "startup";
  return nullptr;
}

// Kafka's first bytes can be the same: what a startup's parameter has for a
// letter is a number there.
bool IsStartup(Cursor cursor) {
  const uint32_t length = cursor.U32();
  const uint32_t code = cursor.U32();
  if (cursor.ended() || length < 8 || length > 10'000 ||
      StartupName(code) == nullptr) {
    return false;
  }
  if (code >> 16 != kProtocol3) return true;
  return (code & 0xffff) <= kNewestMinor && cursor.Peek() >= '_' &&
         cursor.Peek() <= 'z';
}

// One message; its text begins at the cursor.
struct Message {
  uint8_t letter = 0;
  size_t end = 0;  // may be behind the cursor's end
};

bool TakeMessage(Cursor& cursor, Message* message) {
  message->letter = cursor.U8();
  const size_t begin = cursor.position();
  const uint32_t length = cursor.U32();
  message->end = begin + length;
  return !cursor.ended() && length >= 4 && length < kLongestMessage;
}

void NameOfStatement(Inquiry& question, std::string_view statement) {
  const OperationText* known = question.statements.Find(statement);
  if (known != nullptr && known->length > 0) {
    *question.operation = *known;
  } else {
    question.operation->Assign("EXECUTE");
  }
}

// Names the question by this message. False: the next one must tell.
bool NameByMessage(Inquiry& question, uint8_t letter) {
  Cursor& cursor = question.cursor;
  OperationText* operation = question.operation;
  switch (letter) {
    case 'Q':
      NameSql(cursor, Dialect::kPostgres, /*cut=*/true, operation);
      return true;
    case 'P': {
      const std::string_view statement = cursor.Until(0);
      NameSql(cursor, Dialect::kPostgres, /*cut=*/true, operation);
      if (operation->length == 0) operation->Assign("PREPARE");
      question.statements.Keep(statement, *operation);
      return true;
    }
    case 'B':
      cursor.Until(0);  // the portal
      NameOfStatement(question, cursor.Until(0));
      return true;
    case 'D':
      if (cursor.U8() != 'S') return false;
      NameOfStatement(question, cursor.Until(0));
      return true;
    case 'E':
      NameOfStatement(question, "");
      return true;
    case 'p':
      operation->Assign("authentication");
      return true;
    case 'F':
      operation->Assign("function call");
      return true;
    case 'd':
    case 'c':
    case 'f':
      question.keep = true;  // a COPY's rows
      return true;
    case 'X':
      operation->Assign("terminate");
      return true;
    default:
      return false;  // Close, Flush, Sync: they come with others
  }
}

}  // namespace

bool LooksLikePostgres(Cursor cursor, bool usual_port) {
  if (IsStartup(cursor)) return true;
  // A connection that was there before the recording.
  Message message;
  if (!TakeMessage(cursor, &message)) return false;
  switch (message.letter) {
    case 'P':
      cursor.Until(0);
      return !cursor.ended() && LooksLikeSql(cursor);
    case 'Q':
      return LooksLikeSql(cursor);
    case 'B':
      cursor.Until(0);
      cursor.Until(0);
      return usual_port && !cursor.ended();
    default:
      return false;
  }
}

void NamePostgres(Inquiry& question) {
  Cursor& cursor = question.cursor;
  if (IsStartup(cursor)) {
    cursor.Skip(4);
    const uint32_t code = cursor.U32();
    question.operation->Assign(StartupName(code));
    if (code == kSslRequest || code == kGss) question.Set(kSecured);
    return;
  }
  Message message;
  bool first = true;
  question.first_byte_decides = true;
  while (TakeMessage(cursor, &message)) {
    // Of the first message the letter and the text decide, not the length.
    if (first) cursor.DecidedFrom(cursor.position());
    const bool named = NameByMessage(question, message.letter);
    if (named) return;
    if (first) cursor.DecidedFrom(0);
    first = false;
    cursor.To(message.end);
    if (cursor.left() == 0) break;
  }
  if (first) question.keep = true;  // the rest of a long message
}

}  // namespace edgewise
