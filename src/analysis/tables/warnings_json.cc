#include "analysis/tables/warnings_json.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/tables/explain_pass.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

// Of files that say something, the first.
std::string FirstMeta(const std::vector<FileFacts>& files,
                      std::string TraceMeta::*field) {
  for (const FileFacts& file : files) {
    if (!(file.meta.*field).empty()) return file.meta.*field;
  }
  return "";
}

// What the recorder has done without, which the numbers do not show.
void AddMissing(const std::vector<FileFacts>& files, Json* warnings) {
  const auto add = [&](std::string TraceMeta::*why, const char* what) {
    const std::string reason = FirstMeta(files, why);
    if (reason.empty()) return;
    warnings->push_back(absl::StrCat(what, " (", reason, ")"));
  };
  add(&TraceMeta::no_async_ids,
      "causality is lost: who registered an event is not known, so that "
      "requests miss events and dependencies");
  add(&TraceMeta::no_interposition,
      "the loop's system calls were not seen: which connection an event is for "
      "is not known, nor when it became ready");
  add(&TraceMeta::no_native_code,
      "native code was not looked at: what JavaScript ran after it may be told "
      "for it");
}

}  // namespace

Json WarningsJson(const ReportInput& input) {
  Json warnings = Json::array();
  AddMissing(*input.files, &warnings);
  for (const uint32_t process : *input.ambiguous) {
    warnings.push_back(
        absl::StrCat("several processes had the number ", process,
                     ": requests of them say their process's identity"));
  }
  const ExplainPass& explained = *input.explained;
  if (input.problems->more() > 0) {
    warnings.push_back(
        absl::StrCat(input.problems->more(), " more problems are not listed"));
  }
  if (explained.hidden_requests() > 0) {
    warnings.push_back(absl::StrCat(
        explained.hidden_requests(), " requests waited longer than the last ",
        LoopTimeline::kWindow, " pieces of work that are kept: what held them ",
        "up during ", explained.hidden_ns(),
        " ns is not known and counted as loop"));
  }
  if (explained.truncated() > 0) {
    warnings.push_back(absl::StrCat(
        explained.truncated(),
        " requests had so many events that only the latest were kept"));
  }
  if (input.routes->overflowed()) {
    warnings.push_back(absl::StrCat("more than ", RouteTable::kMaxRoutes,
                                    " routes: the rest is one, ",
                                    input.routes->Text(RouteTable::kOther)));
  }
  uint64_t left_out = 0;
  uint64_t nonsense = 0;
  for (const FileFacts& file : *input.files) {
    left_out += file.counts.left_out;
    nonsense += file.counts.nonsense;
  }
  if (left_out > 0) {
    warnings.push_back(
        absl::StrCat(left_out, " records inside events of more than ",
                     EventStream::kMaxInner, " records were left out"));
  }
  if (nonsense > 0) {
    warnings.push_back(
        absl::StrCat(nonsense, " records held impossible values"));
  }
  if (explained.wanted_matches() > 1) {
    warnings.push_back(absl::StrCat(
        explained.wanted_matches(),
        " requests have the id asked for; the first is shown: choose the ",
        "process and thread"));
  }
  return warnings;
}

}  // namespace edgewise
