#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "load/template.h"

namespace edgewise::load {

// Where a value kept for later requests comes from.
struct Capture {
  enum class Source { kJson, kHeader, kVariable };
  Source source = Source::kJson;
  std::string key;  // JSON pointer (RFC 6901), or the header's name
  int from = -1;    // kVariable: the request's own variable
  int pool = -1;    // the pool it goes into
};

// One kind of request of the mix.
struct RequestSpec {
  std::string name;
  double weight = 0;
  std::string method;
  Template path;
  std::vector<std::pair<std::string, Template>> headers;
  Template body;
  bool sends_body = false;
  Place body_place = Place::kText;
  std::vector<int> expected_statuses;  // empty: any
  std::string expected_text;           // in the body; empty: anything
  std::vector<Capture> captures;
  std::vector<int> pools;  // pools it draws from: must not be empty

  bool IsHead() const { return method == "HEAD"; }
  bool NeedsBody() const;
};

// What a mix file says. Its format is documented in docs/load.md.
struct Mix {
  std::vector<Variable> variables;
  std::vector<RequestSpec> requests;
};

// Errors name the place (`requests[2].path`), the value and what is allowed.
absl::StatusOr<Mix> ParseMix(absl::string_view json);

// A mix of one request, GET `path`, for a run without a mix file.
Mix SingleGet(absl::string_view path);

}  // namespace edgewise::load
