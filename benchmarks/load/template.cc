#include "load/template.h"

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace edgewise::load {
namespace {

constexpr std::array<absl::string_view, 32> kWordList = {
    "river",  "stone",   "the",     "of",      "quick",  "lantern", "market",
    "and",    "silent",  "garden",  "window",  "a",      "north",   "copper",
    "letter", "bridge",  "under",   "morning", "salt",   "paper",   "between",
    "harbor", "slow",    "orchard", "with",    "thread", "winter",  "field",
    "to",     "kitchen", "amber",   "road"};

std::string Words(int64_t count, Random& random) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ' ';
    absl::StrAppend(&text, kWordList[random.Below(kWordList.size())]);
  }
  return text;
}

std::string Hex(size_t length, Random& random) {
  std::string text;
  for (size_t i = 0; i < length; ++i) {
    text += "0123456789abcdef"[random.Below(16)];
  }
  return text;
}

bool IsOneOf(char c, absl::string_view set) {
  return set.find(c) != absl::string_view::npos;
}

// Whether `c` must be percent-encoded where it is put.
bool MustEncode(char c, Place place) {
  const auto byte = static_cast<unsigned char>(c);
  if (place == Place::kForm) {
    return !absl::ascii_isalnum(byte) && !IsOneOf(c, "-._");
  }
  return place == Place::kPath &&
         (byte <= ' ' || byte >= 0x7F || IsOneOf(c, "\"#<>\\^`{|}"));
}

}  // namespace

void AppendValue(absl::string_view value, Place place, std::string* out) {
  for (char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = absl::ascii_iscntrl(byte);
    if (MustEncode(c, place)) {
      absl::StrAppendFormat(out, "%%%02X", byte);
    } else if (place == Place::kHeader && control) {
      *out += ' ';
    } else if (place == Place::kJson && control) {
      absl::StrAppendFormat(out, "\\u%04x", byte);
    } else {
      if (place == Place::kJson && (c == '"' || c == '\\')) *out += '\\';
      *out += c;
    }
  }
}

absl::StatusOr<Template> ParseTemplate(
    absl::string_view text, const absl::flat_hash_map<std::string, int>& names,
    const std::vector<Variable>& variables) {
  Template result;
  while (!text.empty()) {
    const size_t open = text.find("{{");
    if (open != 0) {
      result.pieces.push_back({.literal = std::string(text.substr(0, open))});
    }
    if (open == absl::string_view::npos) break;
    const size_t close = text.find("}}", open);
    if (close == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", text.substr(open, 20), "\" has no closing }}"));
    }
    absl::string_view name =
        absl::StripAsciiWhitespace(text.substr(open + 2, close - open - 2));
    const bool take = absl::ConsumePrefix(&name, "take ");
    name = absl::StripAsciiWhitespace(name);
    const auto found = names.find(name);
    if (found == names.end()) {
      std::vector<absl::string_view> known;
      for (const Variable& variable : variables) known.push_back(variable.name);
      return absl::InvalidArgumentError(absl::StrCat(
          "placeholder {{", name, "}} is not a variable; the variables are ",
          known.empty() ? "(none)" : absl::StrJoin(known, ", ")));
    }
    if (take && variables[found->second].kind != Variable::Kind::kPool) {
      return absl::InvalidArgumentError(absl::StrCat(
          "{{take ", name, "}} needs a variable of kind \"pool\""));
    }
    result.pieces.push_back({.variable = found->second, .take = take});
    text.remove_prefix(close + 2);
  }
  return result;
}

Values::Values(std::vector<Variable> variables, uint64_t seed)
    : variables_(std::move(variables)),
      current_(variables_.size()),
      random_(seed) {}

bool Values::Available(int variable) const {
  const Variable& source = variables_[variable];
  return source.kind != Variable::Kind::kPool || !source.choices.empty();
}

const std::string& Values::Get(int variable, bool take) {
  Current& current = current_[variable];
  if (current.request != request_) {
    current.value = Draw(variables_[variable], take);
    current.request = request_;
  }
  return current.value;
}

std::string Values::Draw(Variable& variable, bool take) {
  switch (variable.kind) {
    case Variable::Kind::kInteger:
      return absl::StrCat(variable.low +
                          static_cast<int64_t>(
                              random_.Below(variable.high - variable.low + 1)));
    case Variable::Kind::kCounter:
      return absl::StrCat(variable.low++);
    case Variable::Kind::kHex:
      return Hex(variable.length, random_);
    case Variable::Kind::kWords:
      return Words(variable.low + static_cast<int64_t>(random_.Below(
                                      variable.high - variable.low + 1)),
                   random_);
    case Variable::Kind::kChoice:
    case Variable::Kind::kPool:
      break;
  }
  // Available() was asked first, so the list is not empty.
  std::vector<std::string>& list = variable.choices;
  std::string& chosen = list[random_.Below(list.size())];
  if (!take) return chosen;
  std::swap(chosen, list.back());
  std::string value = std::move(list.back());
  list.pop_back();
  return value;
}

void Values::Put(int variable, std::string value) {
  std::vector<std::string>& pool = variables_[variable].choices;
  if (pool.size() < kMaxPool) {
    pool.push_back(std::move(value));
  } else {
    pool[random_.Below(pool.size())] = std::move(value);
  }
}

}  // namespace edgewise::load
