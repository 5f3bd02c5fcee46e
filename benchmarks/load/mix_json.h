#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "load/mix.h"
#include "nlohmann/json.hpp"

// How the two readers of a mix file see JSON and say what is wrong with it.

namespace edgewise::load {

using Json = nlohmann::ordered_json;
using Names = absl::flat_hash_map<std::string, int>;  // variable -> its index

// "PLACE: WHAT".
absl::Status Bad(absl::string_view place, absl::string_view what);

// The beginning of a value, to quote in an error.
std::string Show(const Json& value);

// Every key of `object` must be in `allowed`: a misspelt one would otherwise
// be a setting that silently does nothing.
absl::Status CheckKeys(const Json& object, absl::string_view place,
                       const std::vector<absl::string_view>& allowed);

// Reads one entry of `requests`; `place` is what errors call it.
absl::StatusOr<RequestSpec> ReadRequest(const Json& json, std::string place,
                                        const Names& names,
                                        const std::vector<Variable>& variables);

}  // namespace edgewise::load
