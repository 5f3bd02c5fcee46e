// TLS: whom the ClientHello names. Nothing behind it can be read.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

constexpr uint8_t kHandshake = 22;
constexpr uint8_t kClientHello = 1;
constexpr uint16_t kServerName = 0;
constexpr uint16_t kAlpn = 16;

// A record's head; its type.
bool TakeRecord(Cursor& cursor, uint8_t* type) {
  *type = cursor.U8();
  const uint16_t version = cursor.U16();
  const uint16_t length = cursor.U16();
  return !cursor.ended() && *type >= 20 && *type <= 23 && version >= 0x300 &&
         version <= 0x304 && length > 0 && length <= (1 << 14) + 2048;
}

bool IsServerNameCharacter(char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
         c == '.' || c == '-' || c == '_';
}

void AppendHost(Cursor cursor, OperationText* operation) {
  cursor.Skip(2);
  if (cursor.U8() != 0) return;
  const uint16_t length = cursor.U16();
  if (cursor.ended() || length > cursor.left()) return;
  const std::string_view host = cursor.Bytes(length);
  for (const char c : host) {
    if (!IsServerNameCharacter(c)) return operation->clear();
    operation->AppendLowerCase(c);
  }
}

// The protocols that are offered, of those that are known.
void AppendAlpn(Cursor cursor, OperationText* operation) {
  const uint16_t all = cursor.U16();
  if (all > cursor.left()) return;
  const size_t end = cursor.position() + all;
  bool first = true;
  while (cursor.position() < end && !cursor.ended()) {
    const uint8_t length = cursor.U8();
    const std::string_view name = cursor.Bytes(length);
    for (const std::string_view known :
         {"h2", "http/1.1", "http/1.0", "postgresql", "mqtt", "amqp"}) {
      if (name != known) continue;
      operation->Append(first ? " (" : ", ");
      operation->Append(known);
      first = false;
    }
  }
  if (!first) operation->Append(')');
}

// Goes to the extensions of a ClientHello.
bool TakeHello(Cursor& cursor) {
  uint8_t type;
  if (!TakeRecord(cursor, &type) || type != kHandshake) return false;
  if (cursor.U8() != kClientHello) return false;
  cursor.Skip(3);
  if (cursor.U16() >> 8 != 3) return false;
  cursor.Skip(32);
  cursor.Skip(cursor.U8());   // the session
  cursor.Skip(cursor.U16());  // ciphers
  cursor.Skip(cursor.U8());   // compressions
  return true;
}

}  // namespace

bool LooksLikeTls(Cursor cursor) {
  uint8_t type;
  return TakeRecord(cursor, &type);
}

bool LooksLikeTlsHello(Cursor cursor) {
  uint8_t type;
  return TakeRecord(cursor, &type) && type == kHandshake &&
         cursor.U8() == kClientHello && !cursor.ended();
}

void NameTls(Inquiry& question) {
  Cursor& cursor = question.cursor;
  question.repeatable = false;  // a hello has random bytes in it
  if (!LooksLikeTlsHello(cursor) || !TakeHello(cursor)) {
    question.keep = true;
    return;
  }
  cursor.Skip(2);
  OperationText host;
  OperationText offered;
  while (!cursor.ended() && cursor.left() > 0) {
    const uint16_t extension = cursor.U16();
    const uint16_t length = cursor.U16();
    if (cursor.ended()) break;
    if (extension == kServerName) AppendHost(cursor, &host);
    if (extension == kAlpn) AppendAlpn(cursor, &offered);
    cursor.Skip(length);
  }
  if (host.length == 0) host.Assign("(no server name)");
  *question.operation = host;
  question.operation->Append(offered.view());
}

}  // namespace edgewise
