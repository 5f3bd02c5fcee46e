// Redis and Valkey: RESP, an array of strings whose first is the command.

#include <cstddef>
#include <string_view>

#include "recorder/protocol/families.h"
#include "recorder/protocol/redis_commands.h"

namespace edgewise {
namespace {

// *3\r\n or $3\r\n
bool TakeCount(Cursor& cursor, uint8_t sign, size_t* count) {
  if (cursor.Peek() != sign) return false;
  cursor.Skip(1);
  size_t value = 0;
  size_t digits = 0;
  while (cursor.Peek() >= '0' && cursor.Peek() <= '9' && digits < 7) {
    value = value * 10 + (cursor.U8() - '0');
    ++digits;
  }
  *count = value;
  return digits > 0 && cursor.Take("\r\n");
}

// Appends the next string of the array, in upper case, to the `used` bytes of
// `name`. False: it is too long for a command, or not complete.
bool TakeWord(Cursor& cursor, char (&name)[kRedisNameBytes], size_t* used) {
  size_t length;
  if (!TakeCount(cursor, '$', &length)) return false;
  if (length == 0 || length > kRedisNameBytes - *used) return false;
  for (const char c : cursor.Bytes(length)) {
    name[(*used)++] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  return cursor.Take("\r\n");
}

}  // namespace

bool LooksLikeRedis(Cursor cursor) {
  size_t words;
  size_t length;
  return TakeCount(cursor, '*', &words) && words > 0 &&
         TakeCount(cursor, '$', &length);
}

bool LooksLikeRedisAnswer(Cursor cursor, bool usual_port) {
  if (Cursor(cursor).Take("+PONG\r\n") || Cursor(cursor).Take("-NOAUTH ") ||
      Cursor(cursor).Take("-WRONGTYPE ") || Cursor(cursor).Take("-MOVED ")) {
    return true;
  }
  if (!usual_port) return false;
  size_t count;
  return Cursor(cursor).Take("+OK\r\n") || Cursor(cursor).Take("-ERR ") ||
         TakeCount(cursor, '$', &count) || TakeCount(cursor, '*', &count);
}

void NameRedis(Inquiry& question) {
  Cursor& cursor = question.cursor;
  size_t words;
  if (!TakeCount(cursor, '*', &words) || words == 0) {
    // The rest of a long value, or a line that a person has typed.
    question.keep = true;
    return;
  }
  char name[kRedisNameBytes];
  size_t used = 0;
  if (!TakeWord(cursor, name, &used) || !IsRedisCommand({name, used})) {
    question.operation->Assign("other");
    return;
  }
  const size_t command = used;
  // EVAL ends with its name: HasRedisSubcommands() need not look far.
  if (words > 1 && used < kRedisNameBytes &&
      HasRedisSubcommands({name, used})) {
    name[used++] = ' ';
    if (!TakeWord(cursor, name, &used) || !IsRedisCommand({name, used})) {
      used = command;
    }
  }
  question.operation->Assign({name, used});
}

}  // namespace edgewise
