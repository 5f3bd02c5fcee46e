#include "recorder/protocol/fold.h"

#include <cstddef>

namespace edgewise {
namespace {

constexpr std::string_view kId = ":id";
constexpr size_t kLongSegment = 40;  // no one names a resource like that

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
bool IsHexLetter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'f'; }

struct Shape {
  size_t digits = 0;
  bool hex = true;         // hexadecimal digits only
  bool plain = true;       // [A-Za-z0-9_.~-] only
  bool addressed = false;  // @ % = ; , | and the like
};

Shape ShapeOf(std::string_view text) {
  Shape shape;
  for (const char c : text) {
    if (IsDigit(c)) {
      ++shape.digits;
      continue;
    }
    if (!IsHexLetter(c)) shape.hex = false;
    if (IsLetter(c) || c == '_' || c == '-' || c == '.' || c == '~') continue;
    shape.plain = false;
    if (c != ':') shape.addressed = true;
  }
  return shape;
}

bool IsNamePartEnd(char c) {
  return c == '.' || c == '_' || c == '-' || c == '$' || c == ' ';
}

// `after_id`: the part before was one; a UUID goes on with short parts.
bool IsIdPart(std::string_view part, bool after_id) {
  const Shape shape = ShapeOf(part);
  if (shape.digits == 0) return shape.hex && part.size() >= 12;
  if (shape.digits == part.size() || shape.digits > 6) return true;
  if (shape.hex && part.size() >= (after_id ? 4 : 6)) return true;
  return part.size() >= 16 || (part.size() >= 10 && shape.digits >= 3);
}

// pad-17: a word, a sign, a number.
bool EndsWithNumber(std::string_view segment) {
  size_t at = segment.size();
  while (at > 0 && IsDigit(segment[at - 1])) --at;
  if (at == segment.size() || at < 2) return false;
  const char sign = segment[at - 1];
  return sign == '-' || sign == '_' || sign == '.' || sign == '~';
}

bool IsIdSegment(std::string_view segment) {
  const Shape shape = ShapeOf(segment);
  if (shape.addressed || segment.size() >= kLongSegment) return true;
  if (shape.hex && segment.size() >= 16) return true;
  if (shape.digits == 0) return false;
  return shape.digits == segment.size() || segment.size() >= 10 ||
         !shape.plain || EndsWithNumber(segment);
}

}  // namespace

void AppendFoldedName(std::string_view name, OperationText* operation) {
  bool after_id = false;
  size_t at = 0;
  while (at < name.size()) {
    size_t end = at;
    while (end < name.size() && !IsNamePartEnd(name[end])) ++end;
    const std::string_view part = name.substr(at, end - at);
    const bool id = !part.empty() && IsIdPart(part, after_id);
    if (id && !after_id) operation->Append(kId);
    if (!id) {
      for (const char c : part) operation->AppendLowerCase(c);
    }
    if (end < name.size()) {
      // Of several ids in a row one is told, and so is the sign behind it only
      // if something else follows.
      const size_t next = end + 1;
      size_t next_end = next;
      while (next_end < name.size() && !IsNamePartEnd(name[next_end])) {
        ++next_end;
      }
      const std::string_view follower = name.substr(next, next_end - next);
      const bool run = id && !follower.empty() && IsIdPart(follower, true);
      if (!run) operation->Append(name[end]);
    }
    after_id = id;
    at = end + 1;
  }
}

void AppendFoldedPath(std::string_view path, bool complete,
                      OperationText* operation) {
  const size_t end = path.find_first_of("?#");
  if (end != std::string_view::npos) {
    path = path.substr(0, end);
    complete = true;
  }
  size_t at = 0;
  while (at <= path.size()) {
    size_t slash = path.find('/', at);
    const bool last = slash == std::string_view::npos;
    if (last) slash = path.size();
    const std::string_view segment = path.substr(at, slash - at);
    // No part of a segment that does not fit: half an id looks like none.
    const bool id = IsIdSegment(segment);
    const std::string_view told = id ? kId : segment;
    if ((last && !complete) ||
        operation->length + told.size() + 4 > OperationText::kCapacity) {
      operation->Append("...");
      return;
    }
    operation->Append(told);
    if (!last) operation->Append('/');
    at = slash + 1;
  }
}

}  // namespace edgewise
