#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "load/random.h"

namespace edgewise::load {

// A named source of values for `{{name}}` in a request.
struct Variable {
  enum class Kind {
    kChoice,   // one of a list
    kInteger,  // uniform in [low, high]
    kCounter,  // low, low + 1, ...: never the same twice
    kHex,      // `length` random hexadecimal digits
    kWords,    // low to high random words, for text that grows a document
    kPool,     // what earlier responses yielded; empty at first, or `choices`
  };

  std::string name;
  Kind kind = Kind::kChoice;
  std::vector<std::string> choices;  // kPool: its present values
  int64_t low = 0;
  int64_t high = 0;
  size_t length = 0;
};

// Text with placeholders: `{{name}}` is that variable's value, and
// `{{take name}}` removes the value from its pool (for a request that deletes
// the thing). A variable has one value within one request, however often it is
// named.
struct Template {
  struct Piece {
    std::string literal;  // when variable < 0
    int variable = -1;    // index of the variable
    bool take = false;
  };
  std::vector<Piece> pieces;
};

// Where a value is put decides which of its characters must be escaped.
enum class Place { kPath, kHeader, kJson, kForm, kText };
// Appends `value`: in a path, what a request target may not hold is
// percent-encoded (but / ? & = stay); in a header, control characters become
// blanks; in JSON, the value must stand between quotes and is escaped as such;
// in a form, all but letters, digits and -._ is percent-encoded.
void AppendValue(absl::string_view value, Place place, std::string* out);

// Splits `text`. The error quotes the placeholder and lists what exists.
absl::StatusOr<Template> ParseTemplate(
    absl::string_view text, const absl::flat_hash_map<std::string, int>& names,
    const std::vector<Variable>& variables);

// The variables' values as a run goes on. One thread.
class Values {
 public:
  Values(std::vector<Variable> variables, uint64_t seed);

  // Forgets the values of the last request; draws happen on first use.
  void BeginRequest() { ++request_; }
  // Whether the variable has a value to draw (a pool may be empty).
  bool Available(int variable) const;
  // This request's value; valid until the next BeginRequest().
  const std::string& Get(int variable, bool take);
  // Adds to a pool. A pool of kMaxPool values replaces one at random.
  void Put(int variable, std::string value);

  static constexpr size_t kMaxPool = 100'000;

 private:
  std::string Draw(Variable& variable, bool take);

  struct Current {
    uint64_t request = 0;  // the request `value` was drawn for
    std::string value;
  };
  std::vector<Variable> variables_;
  std::vector<Current> current_;  // parallel to variables_
  uint64_t request_ = 1;
  Random random_;
};

}  // namespace edgewise::load
