// SMTP and LMTP: lines; the server greets first.

#include <algorithm>
#include <iterator>
#include <string_view>

#include "recorder/protocol/families.h"

namespace edgewise {
namespace {

constexpr std::string_view kSmtpVerbs[] = {
    "EHLO", "HELO", "LHLO", "MAIL", "RCPT",     "DATA", "BDAT", "RSET",
    "NOOP", "QUIT", "AUTH", "VRFY", "STARTTLS", "EXPN", "HELP", "XCLIENT",
};

std::string_view TakeVerb(Cursor& cursor) {
  for (const std::string_view verb : kSmtpVerbs) {
    Cursor ahead = cursor;
    if (!ahead.Take(verb, /*any_case=*/true)) continue;
    const uint8_t next = ahead.Peek();
    if (next != ' ' && next != '\r') continue;
    cursor = ahead;
    return verb;
  }
  return {};
}

}  // namespace

bool LooksLikeSmtp(Cursor cursor) {
  if (cursor.Take("EHLO ", true) || cursor.Take("HELO ", true) ||
      cursor.Take("LHLO ", true)) {
    cursor.Until('\n');
    return !cursor.ended();
  }
  return false;
}

// FTP and others greet with 220 too.
bool LooksLikeSmtpGreeting(Cursor cursor, bool usual_port) {
  if (!cursor.Take("220") || (cursor.Peek() != ' ' && cursor.Peek() != '-')) {
    return false;
  }
  const std::string_view line = cursor.Until('\n');
  return usual_port || line.find("SMTP") != std::string_view::npos ||
         line.find("LMTP") != std::string_view::npos;
}

void NameSmtp(Inquiry& question) {
  OperationText* operation = question.operation;
  question.repeatable = false;  // the same line may be a command or content
  if (question.Has(kContent)) return operation->Assign("message");
  if (question.Has(kLogin)) return operation->Assign("AUTH");
  const std::string_view verb = TakeVerb(question.cursor);
  operation->Assign(verb.empty() ? "other" : verb);
  if (verb == "STARTTLS") question.Set(kSecured);
  // After a refusal the next command is named again; see SmtpAnswer().
  if (verb == "AUTH") question.Set(kLogin);
  if (verb == "BDAT") question.Set(kContent);
}

// Of several commands in one write, the answers come in one read: DATA's is the
// last one.
void SmtpAnswer(Cursor cursor, uint16_t* state) {
  *state &= static_cast<uint16_t>(~(kLogin | kContent));
  do {
    if (Cursor(cursor).Take("334")) *state |= kLogin;
    if (Cursor(cursor).Take("354")) *state |= kContent;
    cursor.Until('\n');
  } while (!cursor.ended() && cursor.left() > 0);
}

}  // namespace edgewise
