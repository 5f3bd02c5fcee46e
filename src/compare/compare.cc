#include "compare/compare.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analysis/report.h"
#include "compare/reading/side_reader.h"
#include "compare/verdict/comparison.h"
#include "compare/verdict/comparison_json.h"

namespace edgewise {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kReading = 0.8;  // of the work, the rest is comparing
constexpr uint32_t kFewestResamples = 200;
constexpr uint32_t kMostResamples = 1'000'000;
constexpr size_t kMostRoutes = 20;  // that are told apart
constexpr size_t kMostValues = 200;

absl::Status CheckAsked(const TraceComparison& asked) {
  const auto outside = [](const char* what, auto value, auto least, auto most) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " ", value, " is not between ", least, " and ", most));
  };
  if (asked.resamples < kFewestResamples || asked.resamples > kMostResamples) {
    return outside("resamples", asked.resamples, kFewestResamples,
                   kMostResamples);
  }
  if (asked.skip_ns < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("skip ", asked.skip_ns, " ns must not be negative"));
  }
  if (!(asked.block_ns >= 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("block ", asked.block_ns, " ns must not be negative"));
  }
  return absl::OkStatus();
}

class BothSides {
 public:
  explicit BothSides(const TraceComparison& asked)
      : asked_(asked), progress_(asked.progress ? asked.progress : &untold_) {}

  absl::StatusOr<std::string> Run() {
    directories_ = asked_.a.size() + asked_.b.size() + asked_.same.size();
    std::array<std::vector<Recording>, 3> sides;
    const std::array<const std::vector<std::string>*, 3> places = {
        &asked_.a, &asked_.b, &asked_.same};
    for (size_t i = 0; i < sides.size(); ++i) {
      for (const std::string& directory : *places[i]) {
        if (absl::Status read = Read(directory, &sides[i]); !read.ok()) {
          return read;
        }
      }
    }
    progress_->Within(kReading, 1);
    absl::StatusOr<Json> found = asked_.by == SplitBy::kNothing
                                     ? CompareSides(sides)
                                     : CompareValues(sides[0]);
    if (!found.ok()) return found.status();
    if (absl::Status status = progress_->status(); !status.ok()) return status;
    return found->dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  absl::Status Read(const std::string& directory,
                    std::vector<Recording>* recordings) {
    const auto part = [&](size_t i) {
      return kReading * static_cast<double>(i) /
             static_cast<double>(directories_);
    };
    progress_->Within(part(read_), part(read_ + 1));
    ++read_;
    SideReader reader(&names_);
    ReportOptions options;
    options.routes = asked_.routes;
    options.skip_ns = asked_.skip_ns;
    options.slowest = 0;
    options.watcher = &reader;
    options.progress = progress_;
    const auto report = BuildReport(directory, options);
    if (!report.ok()) return report.status();
    recordings->push_back(reader.TakeFiles());
    return absl::OkStatus();
  }

  CompareOptions OptionsOf(const SideNames* names, const Side* second) const {
    CompareOptions options;
    options.resamples = asked_.resamples;
    options.seed = asked_.seed;
    options.block_ns = asked_.block_ns;
    options.always = asked_.always;
    options.names = names;
    options.second_a = second;
    return options;
  }

  absl::StatusOr<Json> CompareSides(
      const std::array<std::vector<Recording>, 3>& recordings) const {
    std::array<Side, 3> sides;
    for (size_t i = 0; i < sides.size(); ++i) sides[i] = SideOf(recordings[i]);
    SideNames names = names_.names();
    MergeRareRoutes(kMostRoutes,
                    std::array<Side*, 3>{&sides[0], &sides[1], &sides[2]},
                    &names);
    const CompareOptions options =
        OptionsOf(&names, asked_.same.empty() ? nullptr : &sides[2]);
    Json json = {{"schema", 1}};
    json.update(ComparisonJson(
        Compare(std::move(sides[0]), std::move(sides[1]), options), names));
    return json;
  }

  absl::StatusOr<Json> CompareValues(
      const std::vector<Recording>& recordings) const {
    const std::vector<SplitValue> values = ValuesOf(recordings, asked_.by);
    if (values.size() < 2) {
      return absl::NotFoundError(
          absl::StrCat("there is nothing to compare: all requests are of ",
                       values.empty() ? "nothing" : values[0].text));
    }
    if (values.size() > kMostValues) {
      return absl::InvalidArgumentError(
          absl::StrCat("there are ", values.size(), " values, at most ",
                       kMostValues, " are compared"));
    }
    Json json = {{"schema", 1}, {"values", Json::array()}};
    for (size_t i = 0; i < values.size(); ++i) {
      if (absl::Status s = progress_->status(); !s.ok()) return s;
      Split split = SplitAt(recordings, asked_.by, values[i]);
      SideNames names = names_.names();
      MergeRareRoutes(kMostRoutes,
                      std::array<Side*, 2>{&split.others, &split.some}, &names);
      Json one = {{"value", values[i].text}};
      one.update(
          ComparisonJson(Compare(std::move(split.others), std::move(split.some),
                                 OptionsOf(&names, nullptr)),
                         names));
      json["values"].push_back(std::move(one));
      progress_->Reach(static_cast<double>(i + 1) /
                       static_cast<double>(values.size()));
    }
    return json;
  }

  const TraceComparison& asked_;
  AnalysisProgress untold_;
  AnalysisProgress* const progress_;
  NameTable names_;
  size_t directories_ = 0;
  size_t read_ = 0;
};

}  // namespace

absl::StatusOr<std::string> BuildComparison(const TraceComparison& asked) {
  if (absl::Status status = CheckAsked(asked); !status.ok()) return status;
  return BothSides(asked).Run();
}

}  // namespace edgewise
