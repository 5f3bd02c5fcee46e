// Reads a mix file: JSON -> Mix, with errors that name the place.

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "load/mix.h"
#include "load/mix_json.h"

namespace edgewise::load {
namespace {

absl::StatusOr<std::vector<std::string>> Strings(const Json& list,
                                                 absl::string_view place) {
  if (!list.is_array()) {
    return Bad(place, absl::StrCat("must be a list, not ", Show(list)));
  }
  std::vector<std::string> strings;
  for (const Json& entry : list) {
    strings.push_back(entry.is_string() ? entry.get<std::string>()
                                        : Show(entry));
  }
  return strings;
}

// [low, high], two integers with 0 <= low <= high.
absl::Status Range(const Json& value, absl::string_view place,
                   Variable* variable) {
  const bool pair = value.is_array() && value.size() == 2 &&
                    value[0].is_number_integer() &&
                    value[1].is_number_integer();
  if (pair) {
    variable->low = value[0].get<int64_t>();
    variable->high = value[1].get<int64_t>();
  }
  if (!pair || variable->low < 0 || variable->high < variable->low) {
    return Bad(place,
               absl::StrCat("must be [low, high] with 0 <= low <= high, not ",
                            Show(value)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Variable> ParseVariable(const std::string& name,
                                       const Json& json) {
  const std::string place = absl::StrCat("variables.", name);
  using Kind = Variable::Kind;
  if (!json.is_object() || json.size() != 1) {
    return Bad(place, absl::StrCat("must be an object with one of choice, "
                                   "integer, counter, hex, words, pool, not ",
                                   Show(json)));
  }
  Variable variable{.name = name};
  const std::string kind = json.begin().key();
  const Json& value = json.begin().value();
  const std::string at = absl::StrCat(place, ".", kind);
  if (kind == "choice" || kind == "pool") {
    auto list = Strings(value, at);
    if (!list.ok()) return list.status();
    variable.choices = *std::move(list);
    variable.kind = kind == "pool" ? Kind::kPool : Kind::kChoice;
    if (kind == "choice" && variable.choices.empty()) {
      return Bad(at, "must have at least one value");
    }
  } else if (kind == "integer" || kind == "words") {
    if (auto status = Range(value, at, &variable); !status.ok()) return status;
    variable.kind = kind == "words" ? Kind::kWords : Kind::kInteger;
  } else if (kind == "counter" || kind == "hex") {
    if (!value.is_number_integer() || value.get<int64_t>() < 0 ||
        value.get<int64_t>() > (kind == "hex" ? 4096 : INT64_MAX)) {
      return Bad(at, absl::StrCat("must be an integer ",
                                  kind == "hex" ? "of 0 to 4096" : ">= 0",
                                  ", not ", Show(value)));
    }
    variable.kind = kind == "hex" ? Kind::kHex : Kind::kCounter;
    variable.low = value.get<int64_t>();
    variable.length = static_cast<size_t>(variable.low);
  } else {
    return Bad(place, absl::StrCat("unknown kind \"", kind,
                                   "\"; allowed: choice, integer, counter, "
                                   "hex, words, pool"));
  }
  return variable;
}

}  // namespace

absl::StatusOr<Mix> ParseMix(absl::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false,
                                /*ignore_comments=*/true);
  if (json.is_discarded()) return absl::InvalidArgumentError("is not JSON");
  if (auto status = CheckKeys(json, "the mix", {"variables", "requests"});
      !status.ok()) {
    return status;
  }
  Mix mix;
  Names names;
  const Json variables = json.value("variables", Json::object());
  if (!variables.is_object()) return Bad("variables", "must be an object");
  for (const auto& [name, value] : variables.items()) {
    auto variable = ParseVariable(name, value);
    if (!variable.ok()) return variable.status();
    names[name] = static_cast<int>(mix.variables.size());
    mix.variables.push_back(*std::move(variable));
  }
  const Json requests = json.value("requests", Json::array());
  if (!requests.is_array() || requests.empty()) {
    return Bad("requests", "must be a list of at least one request");
  }
  bool always_possible = false;
  for (size_t i = 0; i < requests.size(); ++i) {
    auto spec = ReadRequest(requests[i], absl::StrCat("requests[", i, "]"),
                            names, mix.variables);
    if (!spec.ok()) return spec.status();
    always_possible = always_possible || spec->pools.empty();
    mix.requests.push_back(*std::move(spec));
  }
  if (!always_possible) {
    return Bad("requests",
               "each draws from a pool that may be empty; at least "
               "one must not");
  }
  return mix;
}

}  // namespace edgewise::load
