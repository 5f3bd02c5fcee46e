// MySQL and MariaDB: packets of a length, a number and a command.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

constexpr uint8_t kComQuery = 0x03;
constexpr uint8_t kPrepare = 0x16;
constexpr uint8_t kExecute = 0x17;
constexpr uint8_t kClose = 0x19;
constexpr uint8_t kSendLongData = 0x18;
constexpr uint8_t kFetch = 0x1c;

constexpr std::string_view kComNames[] = {
    "sleep",      "quit",        "use",         "query",
    "field list", "create db",   "drop db",     "refresh",
    "shutdown",   "statistics",  "processlist", "connect",
    "kill",       "debug",       "ping",        "time",
    "insert",     "change user", "binlog dump", "table dump",
    "connect",    "register",    "PREPARE",     "EXECUTE",
    "long data",  "close",       "reset",       "set option",
    "FETCH",      "daemon",      "binlog dump", "reset connection",
};

// Capabilities that the client claims.
constexpr uint32_t kCompress = 1U << 5;
constexpr uint32_t kProtocol41 = 1U << 9;
constexpr uint32_t kCapabilitySsl = 1U << 11;
constexpr uint32_t kZstd = 1U << 26;
constexpr uint32_t kQueryAttributes = 1U << 27;

// The key of the statement whose number is still to come.
constexpr std::string_view kComing = "coming";

void NameLogin(Inquiry& question) {
  Cursor& cursor = question.cursor;
  const uint32_t length = cursor.Little24();
  cursor.Skip(1);
  const uint32_t claims = cursor.Little32();
  question.operation->Assign("connect");
  question.repeatable = false;
  if (!question.Has(kLogin) || cursor.ended() || length < 32 ||
      (claims & kProtocol41) == 0) {
    question.operation->Assign("authentication");
    return;
  }
  question.Clear(kLogin);
  if ((claims & kQueryAttributes) == 0) question.Clear(kAttributes);
  if ((claims & kCapabilitySsl) != 0 && length == 32) {
    question.Set(kSecured);
  } else if ((claims & (kCompress | kZstd)) != 0 &&
             question.Has(kMayCompress)) {
    question.Set(kOpaque);
  }
}

void NameOfStatement(Inquiry& question) {
  const std::string_view number = question.cursor.Bytes(4);
  const OperationText* known = question.statements.Find(number);
  if (known != nullptr && known->length > 0) {
    *question.operation = *known;
  } else {
    question.operation->Assign("EXECUTE");
  }
}

}  // namespace

bool LooksLikeMysqlGreeting(Cursor cursor) {
  const uint32_t length = cursor.Little24();
  if (cursor.U8() != 0 || cursor.U8() != 10 || length < 20 || length > 512) {
    return false;
  }
  const std::string_view version = cursor.Until(0);
  return !cursor.ended() && !version.empty() && version[0] >= '0' &&
         version[0] <= '9' && version.size() < 100;
}

// Of a connection that was there before the recording.
bool LooksLikeMysql(Cursor cursor, bool usual_port) {
  const uint32_t length = cursor.Little24();
  const uint8_t number = cursor.U8();
  const uint8_t command = cursor.U8();
  if (!usual_port || number != 0 || length == 0 || cursor.ended()) return false;
  if (command == kComQuery || command == kPrepare) {
    if (cursor.Peek() == 0 && cursor.Peek(1) == 1) cursor.Skip(2);
    return LooksLikeSql(cursor);
  }
  return command == kExecute && length >= 10 && cursor.left() >= 9;
}

void NameMysql(Inquiry& question) {
  Cursor& cursor = question.cursor;
  Cursor head = cursor;
  uint32_t length = head.Little24();
  const uint8_t number = head.U8();
  if (number != 0) return NameLogin(question);
  // A close gets no answer: what follows it is the question.
  while (length == 5 && head.Peek() == kClose && head.left() > 5) {
    head.Skip(5);
    cursor = head;
    question.repeatable = false;
    length = head.Little24();
    head.Skip(1);
  }
  const size_t begin = cursor.position();
  cursor.Skip(3);
  cursor.DecidedFrom(cursor.position());
  cursor.Skip(1);
  const uint8_t command = cursor.U8();
  if (length == 0 || command >= std::size(kComNames) || cursor.ended()) {
    question.keep = true;  // the rest of a long question
    return;
  }
  question.operation->Assign(kComNames[command]);
  if (command == kExecute || command == kSendLongData || command == kFetch) {
    return NameOfStatement(question);
  }
  if (command != kComQuery && command != kPrepare) return;
  // Attributes: none but their count, or values that are passed in no way.
  if (command == kComQuery && question.Has(kAttributes)) {
    if (cursor.Peek() != 0 || cursor.Peek(1) != 1) return;
    cursor.Skip(2);
  } else if (command == kComQuery && cursor.Peek() == 0 &&
             cursor.Peek(1) == 1) {
    cursor.Skip(2);
  }
  // Other questions may follow this one in the same write.
  const size_t end = begin + 4 + size_t{length};
  const std::string_view text = cursor.Rest();
  const size_t has = end > cursor.position() ? end - cursor.position() : 0;
  OperationText name;
  if (has < text.size()) {
    Cursor statement(text.data(), has);
    NameSql(statement, Dialect::kMysql, /*cut=*/false, &name);
    if (statement.ended()) cursor.DecidedFrom(0);  // the length decided
    cursor.Skip(statement.decided_end());
  } else {
    NameSql(cursor, Dialect::kMysql, /*cut=*/has > text.size(), &name);
  }
  if (name.length > 0) *question.operation = name;
  if (command == kPrepare) {
    question.statements.Keep(kComing, *question.operation);
    question.Set(kPreparing);
    question.repeatable = false;
  }
}

// What the server offers: the client can only claim that.
void MysqlGreeting(Cursor cursor, uint16_t* state) {
  cursor.Skip(5);
  cursor.Until(0);
  cursor.Skip(4 + 8 + 1);
  const uint32_t low = cursor.Little16();
  cursor.Skip(3);
  const uint32_t offers = low | cursor.Little16() << 16;
  *state |= kLogin;
  if ((offers & kQueryAttributes) != 0) *state |= kAttributes;
  if ((offers & (kCompress | kZstd)) != 0) *state |= kMayCompress;
}

// What a prepared statement is known by from now on.
void MysqlAnswer(Cursor cursor, uint16_t* state,
                 const OwnStatements& statements) {
  if ((*state & kPreparing) == 0) return;
  *state &= static_cast<uint16_t>(~kPreparing);
  cursor.Skip(4);
  if (cursor.U8() != 0) return;
  const std::string_view number = cursor.Bytes(4);
  const OperationText* operation = statements.Find(kComing);
  if (cursor.ended() || operation == nullptr) return;
  const OperationText kept = *operation;
  statements.Keep(number, kept);
}

}  // namespace edgewise
