// memcached's text, meta and binary protocols.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

constexpr std::string_view kMemcachedVerbs[] = {
    "get",   "gets",    "set",       "add",       "replace",     "append",
    "cas",   "prepend", "delete",    "incr",      "decr",        "touch",
    "gat",   "gats",    "mg",        "ms",        "md",          "ma",
    "mn",    "me",      "stats",     "slabs",     "lru_crawler", "version",
    "watch", "quit",    "flush_all", "verbosity",
};
// By opcode; the quiet variants are named like the others.
constexpr std::string_view kOpcodes[] = {
    "get",       "set",       "add",
    "replace",   "delete",    "incr",
    "decr",      "quit",      "flush",
    "get",       "noop",      "version",
    "get",       "get",       "append",
    "prepend",   "stats",     "set",
    "add",       "replace",   "delete",
    "incr",      "decr",      "quit",
    "flush",     "append",    "prepend",
    "verbosity", "touch",     "gat",
    "gat",       "",          "sasl_list_mechs",
    "sasl_auth", "sasl_step", "gat",
    "gat",
};
constexpr uint8_t kRequest = 0x80;
constexpr size_t kLongestLine = 512;

std::string_view TakeCommand(Cursor& cursor) {
  const uint8_t first = cursor.Peek();
  for (const std::string_view verb : kMemcachedVerbs) {
    if (static_cast<uint8_t>(verb[0]) != first) continue;
    Cursor ahead = cursor;
    if (!ahead.Take(verb)) continue;
    const uint8_t next = ahead.Peek();
    if (next != ' ' && next != '\r') continue;
    cursor = ahead;
    return verb;
  }
  return {};
}

std::string_view TakeOpcode(Cursor& cursor) {
  if (cursor.U8() != kRequest) return {};
  const uint8_t opcode = cursor.U8();
  return opcode < std::size(kOpcodes) ? kOpcodes[opcode] : "";
}

}  // namespace

bool LooksLikeMemcached(Cursor cursor) {
  Cursor text = cursor;
  const std::string_view verb = TakeCommand(text);
  if (!verb.empty()) {
    // The words alone are English: they have what a command has.
    const bool bare = text.Peek() == '\r';
    const std::string_view line = text.Until('\n');
    return !text.ended() && line.size() < kLongestLine &&
           line.ends_with('\r') &&
           (bare == (verb == "version" || verb == "quit" || verb == "mn" ||
                     verb == "stats" || verb == "flush_all"));
  }
  if (TakeOpcode(cursor).empty()) return false;
  const uint16_t key = cursor.U16();
  const uint8_t extras = cursor.U8();
  if (cursor.U8() != 0) return false;  // no data type but 0 exists
  cursor.Skip(2);
  const uint32_t body = cursor.U32();
  cursor.Skip(12);  // the question's number, and a version
  return !cursor.ended() && key <= 250 && extras <= 20 &&
         body >= key + uint32_t{extras} &&
         (body > key + uint32_t{extras} || body <= 270);
}

void NameMemcached(Inquiry& question) {
  Cursor& cursor = question.cursor;
  std::string_view name;
  if (cursor.Peek() == kRequest) {
    name = TakeOpcode(cursor);
  } else {
    name = TakeCommand(cursor);
  }
  question.repeatable = !name.empty();
  question.operation->Assign(name.empty() ? "other" : name);
}

}  // namespace edgewise
