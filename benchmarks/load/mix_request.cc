// Reads the requests of a mix file.

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "load/mix_json.h"

namespace edgewise::load {

absl::Status Bad(absl::string_view place, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", what));
}

std::string Show(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace)
      .substr(0, 60);
}

absl::Status CheckKeys(const Json& object, absl::string_view place,
                       const std::vector<absl::string_view>& allowed) {
  if (!object.is_object()) {
    return Bad(place, absl::StrCat("must be an object, not ", Show(object)));
  }
  for (const auto& [key, value] : object.items()) {
    bool known = false;
    for (absl::string_view name : allowed) known = known || key == name;
    if (!known) {
      return Bad(place, absl::StrCat("unknown key \"", key, "\"; allowed: ",
                                     absl::StrJoin(allowed, ", ")));
    }
  }
  return absl::OkStatus();
}

namespace {

// One request while it is read: where errors are, and what it refers to.
class RequestReader {
 public:
  RequestReader(const Json& json, std::string place, const Names& names,
                const std::vector<Variable>& variables)
      : json_(json),
        place_(std::move(place)),
        names_(names),
        variables_(variables) {}

  absl::StatusOr<RequestSpec> Read() {
    for (auto step : {&RequestReader::ReadBasics, &RequestReader::ReadHeaders,
                      &RequestReader::ReadBody, &RequestReader::ReadExpect,
                      &RequestReader::ReadCaptures}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    return std::move(spec_);
  }

 private:
  std::string At(absl::string_view key) const {
    return absl::StrCat(place_, ".", key);
  }

  absl::StatusOr<Template> Text(absl::string_view text, const std::string& at) {
    auto parsed = ParseTemplate(text, names_, variables_);
    if (!parsed.ok()) return Bad(at, parsed.status().message());
    for (const Template::Piece& piece : parsed->pieces) {
      if (piece.variable >= 0 &&
          variables_[piece.variable].kind == Variable::Kind::kPool) {
        spec_.pools.push_back(piece.variable);
      }
    }
    return parsed;
  }

  absl::Status ReadBasics() {
    if (auto status = CheckKeys(json_, place_,
                                {"name", "weight", "method", "path", "headers",
                                 "body", "json", "form", "expect", "capture"});
        !status.ok()) {
      return status;
    }
    const Json weight = json_.value("weight", Json(1));
    if (!weight.is_number() || !(weight.get<double>() > 0)) {
      return Bad(At("weight"),
                 absl::StrCat("must be a number above 0, not ", Show(weight)));
    }
    spec_.weight = weight.get<double>();
    const Json method = json_.value("method", Json("GET"));
    spec_.method = method.is_string() ? method.get<std::string>() : "";
    bool token = !spec_.method.empty() && spec_.method != "CONNECT";
    for (unsigned char c : spec_.method)
      token = token && absl::ascii_isupper(c);
    if (!token) {
      return Bad(At("method"), absl::StrCat("must be a method in capitals "
                                            "(GET, POST, ...), not ",
                                            Show(method)));
    }
    const Json path = json_.value("path", Json());
    if (!path.is_string() || !path.get<std::string>().starts_with('/')) {
      return Bad(At("path"), absl::StrCat("must be a string that begins with "
                                          "/, not ",
                                          Show(path)));
    }
    const std::string text = path.get<std::string>();
    const Json name = json_.value("name", Json(spec_.method + " " + text));
    spec_.name = name.is_string() ? name.get<std::string>() : "";
    if (spec_.name.empty() ||
        spec_.name.find_first_of(",\"\r\n") != std::string::npos) {
      return Bad(At("name"), absl::StrCat("must be a string without commas, "
                                          "quotes or line ends, not ",
                                          Show(name)));
    }
    auto parsed = Text(text, At("path"));
    if (!parsed.ok()) return parsed.status();
    for (const Template::Piece& piece : parsed->pieces) {
      if (piece.literal.find_first_of(" \r\n#") != std::string::npos) {
        return Bad(At("path"),
                   absl::StrCat("must not hold blanks or #: ", Show(path)));
      }
    }
    spec_.path = *std::move(parsed);
    return absl::OkStatus();
  }

  absl::Status ReadHeaders() {
    const Json headers = json_.value("headers", Json::object());
    if (!headers.is_object()) {
      return Bad(At("headers"),
                 absl::StrCat("must be an object, not ", Show(headers)));
    }
    for (const auto& [name, value] : headers.items()) {
      const std::string at = absl::StrCat(At("headers"), ".", name);
      if (!value.is_string() || name.empty() ||
          name.find_first_of(": \r\n") != std::string::npos ||
          value.get<std::string>().find_first_of("\r\n") != std::string::npos) {
        return Bad(at, "must be a header of one line");
      }
      auto parsed = Text(value.get<std::string>(), at);
      if (!parsed.ok()) return parsed.status();
      spec_.headers.emplace_back(name, *std::move(parsed));
    }
    return absl::OkStatus();
  }

  absl::Status ReadBody() {
    std::string key;
    for (const char* one : {"body", "json", "form"}) {
      if (!json_.contains(one)) continue;
      if (!key.empty()) {
        return Bad(place_, absl::StrCat("has both ", key, " and ", one));
      }
      key = one;
    }
    if (key.empty()) return absl::OkStatus();
    if (spec_.IsHead()) return Bad(place_, "a HEAD request has no body");
    const Json& value = json_[key];
    if (key == "form") return ReadForm(value);
    if (key == "body" && !value.is_string()) {
      return Bad(At(key), absl::StrCat("must be a string, not ", Show(value)));
    }
    auto parsed =
        Text(key == "body"
                 ? value.get<std::string>()
                 : value.dump(-1, ' ', false, Json::error_handler_t::replace),
             At(key));
    if (!parsed.ok()) return parsed.status();
    spec_.body = *std::move(parsed);
    spec_.sends_body = true;
    if (key == "json") {
      spec_.body_place = Place::kJson;
      AddContentType("application/json");
    }
    return absl::OkStatus();
  }

  absl::Status ReadForm(const Json& form) {
    if (!form.is_object()) {
      return Bad(At("form"),
                 absl::StrCat("must be an object, not ", Show(form)));
    }
    std::string encoded;
    for (const auto& [name, value] : form.items()) {
      const std::string at = absl::StrCat(At("form"), ".", name);
      if (!value.is_string()) return Bad(at, "must be a string");
      auto parsed = Text(value.get<std::string>(), at);
      if (!parsed.ok()) return parsed.status();
      if (!spec_.body.pieces.empty() || !encoded.empty()) encoded += '&';
      AppendValue(name, Place::kForm, &encoded);
      encoded += '=';
      for (Template::Piece& piece : parsed->pieces) {
        if (piece.variable < 0) {
          AppendValue(piece.literal, Place::kForm, &encoded);
          continue;
        }
        spec_.body.pieces.push_back({.literal = std::move(encoded)});
        encoded.clear();
        spec_.body.pieces.push_back(std::move(piece));
      }
    }
    spec_.body.pieces.push_back({.literal = std::move(encoded)});
    spec_.sends_body = true;
    spec_.body_place = Place::kForm;
    AddContentType("application/x-www-form-urlencoded");
    return absl::OkStatus();
  }

  // Unless the mix gives one.
  void AddContentType(absl::string_view value) {
    for (const auto& [name, text] : spec_.headers) {
      if (absl::EqualsIgnoreCase(name, "content-type")) return;
    }
    Template type;
    type.pieces.push_back({.literal = std::string(value)});
    spec_.headers.emplace_back("Content-Type", std::move(type));
  }

  absl::Status ReadExpect() {
    if (!json_.contains("expect")) return absl::OkStatus();
    const Json& expect = json_["expect"];
    if (auto status = CheckKeys(expect, At("expect"), {"status", "contains"});
        !status.ok()) {
      return status;
    }
    for (const Json& code : expect.value("status", Json::array())) {
      if (!code.is_number_integer() || code.get<int>() < 200 ||
          code.get<int>() > 599) {
        return Bad(At("expect.status"),
                   absl::StrCat("must be a list of 200 to 599, not ",
                                Show(expect["status"])));
      }
      spec_.expected_statuses.push_back(code.get<int>());
    }
    const Json text = expect.value("contains", Json(""));
    if (!text.is_string()) {
      return Bad(At("expect.contains"),
                 absl::StrCat("must be a string, not ", Show(text)));
    }
    spec_.expected_text = text.get<std::string>();
    return absl::OkStatus();
  }

  absl::Status ReadCaptures() {
    const Json captures = json_.value("capture", Json::object());
    for (const auto& [pool, value] : captures.items()) {
      auto capture = ReadCapture(absl::StrCat(At("capture"), ".", pool), value);
      if (!capture.ok()) return capture.status();
      const auto found = names_.find(pool);
      if (found == names_.end() ||
          variables_[found->second].kind != Variable::Kind::kPool) {
        return Bad(At("capture"), absl::StrCat("\"", pool,
                                               "\" is not a "
                                               "variable of kind pool"));
      }
      capture->pool = found->second;
      spec_.captures.push_back(*std::move(capture));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Capture> ReadCapture(const std::string& at,
                                      const Json& value) {
    if (!value.is_object() || value.size() != 1 ||
        !value.begin().value().is_string()) {
      return Bad(at, absl::StrCat("must be {\"json\": POINTER}, {\"header\": "
                                  "NAME} or {\"variable\": NAME}, not ",
                                  Show(value)));
    }
    const std::string kind = value.begin().key();
    Capture capture{.key = value.begin().value().get<std::string>()};
    if (kind == "json") {
      capture.source = Capture::Source::kJson;
      if (!capture.key.starts_with('/')) {
        return Bad(at, absl::StrCat("JSON pointer \"", capture.key,
                                    "\" must begin with /"));
      }
    } else if (kind == "header") {
      capture.source = Capture::Source::kHeader;
    } else if (kind == "variable") {
      capture.source = Capture::Source::kVariable;
      const auto found = names_.find(capture.key);
      if (found == names_.end()) {
        return Bad(at, absl::StrCat("\"", capture.key, "\" is no variable"));
      }
      if (variables_[found->second].kind == Variable::Kind::kPool) {
        return Bad(at, absl::StrCat("\"", capture.key, "\" is itself a pool"));
      }
      capture.from = found->second;
    } else {
      return Bad(at, absl::StrCat("unknown source \"", kind,
                                  "\"; allowed: json, header, variable"));
    }
    return capture;
  }

  const Json& json_;
  const std::string place_;
  const Names& names_;
  const std::vector<Variable>& variables_;
  RequestSpec spec_;
};

}  // namespace

absl::StatusOr<RequestSpec> ReadRequest(
    const Json& json, std::string place, const Names& names,
    const std::vector<Variable>& variables) {
  return RequestReader(json, std::move(place), names, variables).Read();
}

}  // namespace edgewise::load
