#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/families.h"

namespace edgewise {

enum class SqlKind : uint8_t {
  kEnd,      // of the text, or of what can be understood
  kWord,     // a keyword or a name
  kQuoted,   // a name in quotes, without them
  kLiteral,  // a string or a number; its text is not given
  kSign,     // any other character: `sign`
};

struct SqlToken {
  SqlKind kind = SqlKind::kEnd;
  char sign = 0;
  std::string_view text;

  bool IsSign(char c) const { return kind == SqlKind::kSign && sign == c; }
  bool IsName() const {
    return kind == SqlKind::kWord || kind == SqlKind::kQuoted;
  }
  // Whether it is this keyword, given in upper case.
  bool Is(std::string_view keyword) const;
  // Whether it is one of these, each followed by a blank.
  bool IsOneOf(std::string_view keywords) const;
};

// The tokens of one statement. Comments are passed over. What may end a string
// in one server and not in another ends everything: what follows could be the
// literal's own text.
class SqlTokens {
 public:
  SqlTokens(Cursor& cursor, Dialect dialect)
      : cursor_(cursor), text_(cursor.Rest()), dialect_(dialect) {
    Next();
  }

  // The text that was read counts as looked at.
  ~SqlTokens();
  SqlTokens(const SqlTokens&) = delete;
  SqlTokens& operator=(const SqlTokens&) = delete;

  const SqlToken& now() const { return now_; }
  bool ended() const { return now_.kind == SqlKind::kEnd; }
  // Whether the last token may go on behind what is at hand.
  bool at_end() const { return at_ >= text_.size(); }
  void Next();

 private:
  bool SkipBlanks();
  bool SkipComment();
  void SkipLine();
  bool SkipQuoted(uint8_t quote, std::string_view* text);
  bool SkipDollarQuoted();

  uint8_t Peek(size_t ahead = 0) const {
    const size_t at = at_ + ahead;
    return at < text_.size() ? static_cast<uint8_t>(text_[at]) : 0;
  }

  Cursor& cursor_;
  const std::string_view text_;
  size_t at_ = 0;
  const Dialect dialect_;
  bool lost_ = false;
  SqlToken now_;
};

}  // namespace edgewise
