// HTTP/1: the request line, and of it no more than method and folded path.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/families.h"
#include "recorder/protocol/fold.h"

namespace edgewise {
namespace {

// Each with the blank behind it.
constexpr std::string_view kMethods[] = {
    "GET ",       "POST ",        "PUT ",     "DELETE ",    "PATCH ",
    "HEAD ",      "OPTIONS ",     "CONNECT ", "PROPFIND ",  "REPORT ",
    "MKCOL ",     "MOVE ",        "COPY ",    "PROPPATCH ", "SEARCH ",
    "LOCK ",      "UNLOCK ",      "TRACE ",   "PURGE ",     "QUERY ",
    "SUBSCRIBE ", "UNSUBSCRIBE ", "NOTIFY ",  "M-SEARCH ",  "MKCALENDAR ",
    "MERGE ",     "LINK ",        "UNLINK ",  "BIND ",      "REBIND ",
};

std::string_view TakeMethod(Cursor& cursor) {
  const uint8_t first = cursor.Peek();
  for (const std::string_view method : kMethods) {
    if (static_cast<uint8_t>(method[0]) != first) continue;
    if (cursor.Take(method)) return method;
  }
  return {};
}

// Of http://user:password@host/path its path.
std::string_view PathOf(std::string_view target) {
  const size_t scheme = target.find("://");
  if (scheme == std::string_view::npos || target[0] == '/') return target;
  const size_t path = target.find_first_of("/?#", scheme + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

bool IsAuthority(std::string_view target) {
  for (const char c : target) {
    const bool good = (c >= '0' && c <= '9') ||
                      ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '.' ||
                      c == '-' || c == ':' || c == '[' || c == ']' || c == '_';
    if (!good) return false;
  }
  return !target.empty();
}

}  // namespace

bool LooksLikeHttp1(Cursor cursor) {
  const std::string_view method = TakeMethod(cursor);
  if (method.empty()) return false;
  const std::string_view target = cursor.Until(' ');
  const bool complete = !cursor.ended();
  if (target.empty() || target.find('\n') != std::string_view::npos) {
    return false;
  }
  if (complete) return cursor.Take("HTTP/1.");
  return target[0] == '/' || target.substr(0, 4) == "http";
}

void NameHttp1(Inquiry& question) {
  Cursor& cursor = question.cursor;
  OperationText* operation = question.operation;
  // It may be a body's rest, which must not be told.
  if (!LooksLikeHttp1(cursor)) {
    question.keep = true;
    return;
  }
  const std::string_view method = TakeMethod(cursor);
  operation->Assign(method.substr(0, method.size() - 1));
  const std::string_view rest = cursor.Rest();
  size_t length = 0;
  // A query differs from question to question.
  for (uint8_t c = cursor.Peek(); !cursor.ended() && c != ' ' && c != '?';) {
    c = cursor.Peek(++length);
  }
  const std::string_view target = rest.substr(0, length);
  if (method == "CONNECT ") {
    question.repeatable = false;
    question.Set(kTunnel);
    if (!IsAuthority(target)) return;
    operation->Append(' ');
    return operation->Append(target);
  }
  operation->Append(' ');
  AppendFoldedPath(PathOf(target), /*complete=*/!cursor.ended(), operation);
}

}  // namespace edgewise
