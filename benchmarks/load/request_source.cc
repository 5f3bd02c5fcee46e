#include "load/request_source.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace edgewise::load {
namespace {

// The value at a JSON pointer, as text; nullopt when there is none.
std::optional<std::string> JsonValue(absl::string_view body,
                                     const std::string& pointer) {
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  // Walked by hand: json_pointer's own lookups throw on a bad index.
  const nlohmann::json* at = &json;
  size_t begin = 1;
  while (begin <= pointer.size()) {
    const size_t slash = std::min(pointer.find('/', begin), pointer.size());
    const std::string key = pointer.substr(begin, slash - begin);
    begin = slash + 1;
    if (at->is_object() && at->contains(key)) {
      at = &(*at)[key];
    } else if (at->is_array() && !key.empty() && key.size() < 10 &&
               key.find_first_not_of("0123456789") == std::string::npos &&
               std::stoul(key) < at->size()) {
      at = &(*at)[std::stoul(key)];
    } else {
      return std::nullopt;
    }
  }
  if (at->is_string()) return at->get<std::string>();
  if (at->is_null()) return std::nullopt;
  return at->dump();
}

}  // namespace

bool RequestSpec::NeedsBody() const {
  if (!expected_text.empty()) return true;
  for (const Capture& capture : captures) {
    if (capture.source == Capture::Source::kJson) return true;
  }
  return false;
}

Mix SingleGet(absl::string_view path) {
  RequestSpec spec;
  spec.name = absl::StrCat("GET ", path);
  spec.weight = 1;
  spec.method = "GET";
  spec.path.pieces.push_back({.literal = std::string(path)});
  Mix mix;
  mix.requests.push_back(std::move(spec));
  return mix;
}

RequestSource::RequestSource(const Mix& mix, std::string host,
                             std::string path_prefix, uint64_t seed)
    : mix_(mix),
      host_(std::move(host)),
      path_prefix_(std::move(path_prefix)),
      values_(mix.variables, seed ^ 0x76616c756573),
      random_(seed) {}

uint32_t RequestSource::DrawSpec() {
  const auto possible = [this](const RequestSpec& spec) {
    for (int pool : spec.pools) {
      if (!values_.Available(pool)) return false;
    }
    return true;
  };
  double total = 0;
  for (const RequestSpec& spec : mix_.requests) {
    if (possible(spec)) total += spec.weight;
  }
  double at = random_.Unit() * total;
  uint32_t last_possible = 0;
  for (uint32_t i = 0; i < mix_.requests.size(); ++i) {
    if (!possible(mix_.requests[i])) continue;
    last_possible = i;
    at -= mix_.requests[i].weight;
    if (at < 0) break;
  }
  return last_possible;
}

void RequestSource::Append(const Template& text, Place place,
                           std::string* out) {
  for (const Template::Piece& piece : text.pieces) {
    if (piece.variable < 0) {
      out->append(piece.literal);
    } else {
      AppendValue(values_.Get(piece.variable, piece.take), place, out);
    }
  }
}

void RequestSource::Next(Request* request) {
  request->spec = DrawSpec();
  const RequestSpec& spec = mix_.requests[request->spec];
  values_.BeginRequest();
  std::string& out = request->bytes;
  out.clear();
  absl::StrAppend(&out, spec.method, " ", path_prefix_);
  Append(spec.path, Place::kPath, &out);
  absl::StrAppend(&out, " HTTP/1.1\r\nHost: ", host_, "\r\n");
  for (const auto& [name, value] : spec.headers) {
    absl::StrAppend(&out, name, ": ");
    Append(value, Place::kHeader, &out);
    out.append("\r\n");
  }
  if (spec.sends_body) {
    body_.clear();
    Append(spec.body, spec.body_place, &body_);
    absl::StrAppend(&out, "Content-Length: ", body_.size(), "\r\n\r\n", body_);
  } else if (spec.method == "POST" || spec.method == "PUT" ||
             spec.method == "PATCH") {
    out.append("Content-Length: 0\r\n\r\n");
  } else {
    out.append("\r\n");
  }
  request->own_values.clear();
  for (const Capture& capture : spec.captures) {
    if (capture.source == Capture::Source::kVariable) {
      request->own_values.push_back(values_.Get(capture.from, false));
    }
  }
}

bool RequestSource::Accept(const Request& request,
                           const ResponseParser& response) {
  const RequestSpec& spec = mix_.requests[request.spec];
  bool expected = spec.expected_statuses.empty();
  for (int status : spec.expected_statuses) {
    expected = expected || status == response.status();
  }
  if (!spec.expected_text.empty() &&
      response.body().find(spec.expected_text) == absl::string_view::npos) {
    expected = false;
  }
  if (!expected || response.status() >= 400) return expected;
  size_t own = 0;
  for (const Capture& capture : spec.captures) {
    std::optional<std::string> value;
    if (capture.source == Capture::Source::kVariable) {
      value = request.own_values[own++];
    } else if (capture.source == Capture::Source::kHeader) {
      const auto header = response.Header(capture.key);
      if (header) value = std::string(*header);
    } else {
      value = JsonValue(response.body(), capture.key);
    }
    if (value) values_.Put(capture.pool, *std::move(value));
  }
  return expected;
}

}  // namespace edgewise::load
