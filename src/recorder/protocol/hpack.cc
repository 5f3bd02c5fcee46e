#include "recorder/protocol/hpack.h"

#include <algorithm>

namespace edgewise {
namespace {

// Indices of the static table.
constexpr uint32_t kAuthority = 1;
constexpr uint32_t kGet = 2;
constexpr uint32_t kPost = 3;
constexpr uint32_t kRoot = 4;
constexpr uint32_t kIndex = 5;
constexpr uint32_t kContentType = 31;

constexpr int kShortest = 5;
constexpr int kLongestCode = 15;

// The symbols with codes of 5 to 15 bits, by length and value. The code is
// canonical, so that lengths alone define it. What has a longer code (a
// backslash, control characters, bytes above 126) does not occur in paths.
constexpr std::string_view kSymbols[kLongestCode - kShortest + 1] = {
    "012aceiost",
    " %-./3456789=A_bdfghlmnpru",
    ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz",
    "&*,;XZ",
    "",
    "!\"()?",
    "'+|",
    "#>",
    std::string_view("\0$@[]~", 6),
    "^}",
    "<`{",
};

// Decodes a string literal as far as `room` goes, and a query string not at
// all: false if it does not end there.
bool DecodeHuffman(std::string_view coded, char* text, size_t room,
                   size_t* length) {
  uint32_t bits = 0;
  int have = 0;
  size_t at = 0;
  while (true) {
    while (have <= 16 && at < coded.size()) {
      bits = bits << 8 | static_cast<uint8_t>(coded[at++]);
      have += 8;
    }
    uint32_t first = 0;  // code of this length
    int width = kShortest;
    uint32_t offset = 0;
    for (; width <= std::min(kLongestCode, have); ++width) {
      const auto count =
          static_cast<uint32_t>(kSymbols[width - kShortest].size());
      const uint32_t code = (bits >> (have - width)) & ((1U << width) - 1);
      offset = code - first;
      if (offset < count) break;
      first = (first + count) << 1;
    }
    if (width > kLongestCode) return false;
    if (width > have) {
      // Fewer than 8 bits, all ones, fill the last byte.
      const uint32_t fill = (1U << have) - 1;
      return have < 8 && (bits & fill) == fill;
    }
    if (*length == room) return false;
    const char symbol = kSymbols[width - kShortest][offset];
    text[(*length)++] = symbol;
    if (symbol == '?') return true;
    have -= width;
    bits &= (1U << have) - 1;
  }
}

struct Literal {
  std::string_view bytes;
  bool huffman = false;
  bool complete = false;
};

bool TakeInteger(Cursor& cursor, int prefix, uint32_t* value) {
  const uint32_t most = (1U << prefix) - 1;
  *value = cursor.U8() & most;
  if (*value < most) return !cursor.ended();
  for (int shift = 0; shift <= 21; shift += 7) {
    const uint8_t byte = cursor.U8();
    *value += static_cast<uint32_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return !cursor.ended();
  }
  return false;
}

bool TakeLiteral(Cursor& cursor, size_t end, Literal* literal) {
  literal->huffman = (cursor.Peek() & 0x80) != 0;
  uint32_t length;
  if (!TakeInteger(cursor, 7, &length)) return false;
  const size_t room = end > cursor.position() ? end - cursor.position() : 0;
  literal->complete = length <= std::min(room, cursor.left());
  literal->bytes = cursor.Bytes(std::min<size_t>(length, room));
  return length <= room;
}

// False: `text` has only a beginning.
bool Decode(const Literal& literal, char* text, size_t room, size_t* length) {
  *length = 0;
  if (literal.huffman) {
    return DecodeHuffman(literal.bytes, text, room, length) &&
           (literal.complete || (*length > 0 && text[*length - 1] == '?'));
  }
  *length = std::min(room, literal.bytes.size());
  std::copy_n(literal.bytes.begin(), *length, text);
  return literal.complete && literal.bytes.size() <= room;
}

void SeeLiteral(uint32_t name, const Literal& value, RequestHead* head) {
  if (name == kRoot || name == kIndex) {
    head->path_complete =
        Decode(value, head->path, RequestHead::kPathBytes, &head->path_bytes);
  } else if (name == kContentType) {
    static constexpr std::string_view kGrpc = "application/grpc";
    char type[kGrpc.size()];
    size_t length;
    Decode(value, type, sizeof(type), &length);
    head->grpc |= std::string_view(type, length) == kGrpc;
  }
}

void SeeIndexed(uint32_t index, RequestHead* head) {
  if (index == kGet) head->method = "GET";
  if (index == kPost) head->method = "POST";
  if (index != kRoot && index != kIndex) return;
  const std::string_view path = index == kRoot ? "/" : "/index.html";
  std::copy(path.begin(), path.end(), head->path);
  head->path_bytes = path.size();
  head->path_complete = true;
}

// A method that the static table does not have.
void SeeMethod(const Literal& value, RequestHead* head) {
  char text[8];
  size_t length;
  if (!Decode(value, text, sizeof(text), &length)) return;
  for (const std::string_view method : {"PUT", "DELETE", "PATCH", "HEAD",
                                        "OPTIONS", "CONNECT", "GET", "POST"}) {
    if (method == std::string_view(text, length)) head->method = method;
  }
}

}  // namespace

bool ReadRequestHead(Cursor& cursor, size_t bytes, RequestHead* head) {
  const size_t end = cursor.position() + bytes;
  while (cursor.position() < end && !cursor.ended() && cursor.left() > 0) {
    const uint8_t first = cursor.Peek();
    uint32_t index;
    if ((first & 0x80) != 0) {
      if (!TakeInteger(cursor, 7, &index) || index == 0) return false;
      SeeIndexed(index, head);
      continue;
    }
    if ((first & 0xe0) == 0x20) {  // the dynamic table's size
      if (!TakeInteger(cursor, 5, &index)) return false;
      continue;
    }
    Literal name;
    Literal value;
    if (!TakeInteger(cursor, (first & 0x40) != 0 ? 6 : 4, &index)) break;
    if (index == 0 && !TakeLiteral(cursor, end, &name)) break;
    if (!TakeLiteral(cursor, end, &value)) return false;
    if (index == kGet || index == kPost) {
      SeeMethod(value, head);
    } else if (index > kAuthority) {
      SeeLiteral(index, value, head);
    }
  }
  return !head->method.empty() || head->path_bytes > 0;
}

}  // namespace edgewise
