#include "recorder/protocol/sql_tokens.h"

#include <algorithm>
#include <cstddef>

namespace edgewise {
namespace {

// What a byte can be.
constexpr uint8_t kBlank = 1;
constexpr uint8_t kNameStart = 2;
constexpr uint8_t kDigit = 4;
constexpr uint8_t kNamePart = 8;

struct Classes {
  uint8_t of[256] = {};
  constexpr Classes() {
    for (const char c : {' ', '\t', '\r', '\n', '\f', '\v'}) {
      of[static_cast<uint8_t>(c)] = kBlank;
    }
    for (int c = 'a'; c <= 'z'; ++c)
      of[c] = of[c - 32] = kNameStart | kNamePart;
    for (int c = 0x80; c < 256; ++c) of[c] = kNameStart | kNamePart;
    of[static_cast<uint8_t>('_')] = kNameStart | kNamePart;
    of[static_cast<uint8_t>('$')] = kNamePart;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigit | kNamePart;
  }
};
constexpr Classes kClasses;

bool Is(uint8_t byte, uint8_t kind) { return (kClasses.of[byte] & kind) != 0; }

bool Same(std::string_view text, std::string_view keyword) {
  if (text.size() != keyword.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z' ? c - 32 : c) != keyword[i]) return false;
  }
  return true;
}

}  // namespace

bool SqlToken::Is(std::string_view keyword) const {
  return kind == SqlKind::kWord && Same(text, keyword);
}

bool SqlToken::IsOneOf(std::string_view keywords) const {
  if (kind != SqlKind::kWord) return false;
  while (!keywords.empty()) {
    const size_t end = keywords.find(' ');
    if (Same(text, keywords.substr(0, end))) return true;
    keywords.remove_prefix(end + 1);
  }
  return false;
}

SqlTokens::~SqlTokens() {
  constexpr size_t kAhead = 3;  // no more is looked at before it is passed
  if (lost_) at_ = text_.size();
  cursor_.Skip(at_);
  for (size_t i = 0; i < kAhead && !cursor_.ended(); ++i) cursor_.Peek(i);
}

void SqlTokens::Next() {
  now_ = SqlToken();
  if (lost_ || !SkipBlanks()) {
    lost_ = true;
    return;
  }
  const uint8_t first = Peek();
  if (first == 0) return;
  if (Is(first, kNameStart | kDigit)) {
    now_.kind = Is(first, kDigit) ? SqlKind::kLiteral : SqlKind::kWord;
    const std::string_view rest = text_.substr(std::min(at_, text_.size()));
    size_t length = 1;
    while (Is(Peek(length), kNamePart)) ++length;
    at_ += length;
    // The last word of what is at hand may go on.
    if (now_.kind == SqlKind::kWord) now_.text = rest.substr(0, length);
    return;
  }
  if (first == '\'' || first == '"' || first == '`') {
    const bool name = first == '`'
                          ? dialect_ == Dialect::kMysql
                          : first == '"' && dialect_ == Dialect::kPostgres;
    now_.kind = name ? SqlKind::kQuoted : SqlKind::kLiteral;
    lost_ = !SkipQuoted(first, &now_.text);
    if (!name) now_.text = {};
    if (lost_) now_ = SqlToken();
    return;
  }
  if (first == '$' && dialect_ == Dialect::kPostgres && !Is(Peek(1), kDigit)) {
    now_.kind = SqlKind::kLiteral;
    lost_ = !SkipDollarQuoted();
    if (lost_) now_ = SqlToken();
    return;
  }
  now_.kind = SqlKind::kSign;
  now_.sign = static_cast<char>(first);
  at_ += 1;
}

// False: lost in a comment.
bool SqlTokens::SkipBlanks() {
  while (true) {
    const uint8_t byte = Peek();
    if (Is(byte, kBlank)) {
      at_ += 1;
    } else if (byte == '/' && Peek(1) == '*') {
      if (!SkipComment()) return false;
    } else if (byte == '-' && Peek(1) == '-') {
      // MySQL wants a blank behind it; without one it is minus minus there.
      if (dialect_ == Dialect::kMysql && !Is(Peek(2), kBlank)) {
        return false;
      }
      SkipLine();
    } else if (byte == '#' && dialect_ == Dialect::kMysql) {
      SkipLine();
    } else {
      return true;
    }
  }
}

void SqlTokens::SkipLine() {
  while (Peek() != 0 && Peek() != '\n') at_ += 1;
}

bool SqlTokens::SkipComment() {
  at_ += 2;
  while (true) {
    const uint8_t byte = Peek();
    if (byte == 0) return false;
    if (byte == '*' && Peek(1) == '/') {
      at_ += 2;
      return true;
    }
    // Some servers nest them, some do not.
    if (byte == '/' && Peek(1) == '*') return false;
    at_ += 1;
  }
}

bool SqlTokens::SkipQuoted(uint8_t quote, std::string_view* text) {
  at_ += 1;
  const std::string_view rest = text_.substr(std::min(at_, text_.size()));
  size_t length = 0;
  while (true) {
    const uint8_t byte = Peek(length);
    if (byte == 0) return false;
    // Whether a backslash hides a quote depends on the server's settings.
    if (byte == '\\' && Peek(length + 1) == quote) return false;
    if (byte == quote) {
      if (Peek(length + 1) != quote) break;
      ++length;
    }
    ++length;
  }
  *text = rest.substr(0, length);
  at_ += length + 1;
  return true;
}

// $tag$ ... $tag$
bool SqlTokens::SkipDollarQuoted() {
  const std::string_view rest = text_.substr(std::min(at_, text_.size()));
  size_t length = 1;
  while (Peek(length) != '$') {
    if (!Is(Peek(length), kNamePart)) return false;
    ++length;
  }
  const std::string_view tag = rest.substr(0, length + 1);
  at_ += tag.size();
  while (text_.substr(std::min(at_, text_.size()), tag.size()) != tag) {
    if (Peek() == 0) return false;
    at_ += 1;
  }
  at_ += tag.size();
  return true;
}

}  // namespace edgewise
