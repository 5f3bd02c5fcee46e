#include "reporting/reporting.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/page/store/trace_store.h"
#include "analysis/report.h"
#include "handover/perfetto_trace.h"
#include "handover/span_log.h"
#include "napi/errors.h"
#include "reporting/options.h"
#include "reporting/watched_work.h"

namespace edgewise {
namespace {

ReportOptions OptionsOf(const Napi::Object& given) {
  ReportOptions options;
  options.percentile = NumberOr(given, "percentile", options.percentile);
  options.routes.only = TextOr(given, "route");
  options.routes.left_out = TextsOf(given.Get("excludeRoute"));
  options.routes.streams = Is(given, "eventStreams");
  options.request = WholeOr(given, "request", -1);
  options.process = WholeOr(given, "process", -1);
  options.thread = WholeOr(given, "thread", -1);
  options.skip_ns = WholeOr(given, "skip", 0, 1e9);
  options.requests_path = TextOr(given, "requestsPath");
  options.stacks = Is(given, "stacks");
  options.tables = TextOr(given, "tables");
  options.slowest = WholeOr(given, "slowest", options.slowest);
  options.scratch = TextsOf(given.Get("scratch"));
  return options;
}

Napi::Value Report(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const absl::StatusOr<std::string> json =
      BuildReport(info[0].As<Napi::String>().Utf8Value(),
                  OptionsOf(info[1].As<Napi::Object>()));
  if (!json.ok()) return Throw(env, json.status());
  return Napi::String::New(env, *json);
}

Napi::Buffer<char> BytesOf(Napi::Env env, const std::string& bytes) {
  return Napi::Buffer<char>::Copy(env, bytes.data(), bytes.size());
}

// What a page asks of a store.
struct Question {
  int64_t window_from_ns = -1;  // -1: not of the loop
  int64_t window_to_ns = 0;
  int64_t window_least_ns = 0;
  int64_t number = -1;  // of a request; -1: of a selection
  RequestSelection selection;
  size_t most = 0;
};

Question QuestionOf(const Napi::Object& given) {
  Question question;
  question.window_from_ns = WholeOr(given, "windowFrom", -1);
  question.window_to_ns = WholeOr(given, "windowTo", 0);
  question.window_least_ns = WholeOr(given, "windowLeast", 1);
  question.number = WholeOr(given, "number", -1);
  RequestSelection& selection = question.selection;
  selection.from_ns = WholeOr(given, "from", 0);
  selection.to_ns = WholeOr(given, "to", INT64_MAX);
  selection.least_ns = WholeOr(given, "least", 0);
  selection.most_ns = WholeOr(given, "most", INT64_MAX);
  selection.tail = Is(given, "tail");
  const int64_t route = WholeOr(given, "route", -1);
  if (route >= 0) selection.route = static_cast<uint32_t>(route);
  question.most = static_cast<size_t>(WholeOr(given, "count", 1));
  return question;
}

// An answer, made on a thread of the pool; deletes itself when it is over.
class Asking : public Napi::AsyncWorker {
 public:
  Asking(Napi::Env env, std::shared_ptr<const TraceStore> store,
         const Question& question)
      : Napi::AsyncWorker(env, "edgewise.ask"),
        done_(env),
        store_(std::move(store)),
        question_(question) {}

  Napi::Promise Done() const { return done_.Promise(); }

 protected:
  void Execute() override {
    if (question_.window_from_ns >= 0) {
      answer_ = store_->Window(question_.window_from_ns, question_.window_to_ns,
                               question_.window_least_ns);
    } else if (question_.number >= 0) {
      answer_ = store_->Request(static_cast<uint64_t>(question_.number));
    } else {
      answer_ = store_->Slowest(question_.selection, question_.most);
    }
  }
  void OnOK() override {
    if (answer_.ok()) {
      done_.Resolve(BytesOf(Env(), *answer_));
    } else {
      done_.Reject(ErrorOf(Env(), answer_.status()).Value());
    }
  }

 private:
  const Napi::Promise::Deferred done_;
  const std::shared_ptr<const TraceStore> store_;
  const Question question_;
  absl::StatusOr<std::string> answer_;
};

// What else is made beside the report.
struct Beside {
  bool columns = false;  // for a page
  bool store = false;
  std::string perfetto;  // files for other tools; "": none
  SpanLog::Plan spans;
};

Beside BesideOf(const Napi::Object& given) {
  Beside beside{
      Is(given, "columns"), Is(given, "store"), TextOr(given, "perfetto"), {}};
  beside.spans.path = TextOr(given, "spans");
  beside.spans.sample = NumberOr(given, "sample", 0);
  beside.spans.most = static_cast<uint64_t>(WholeOr(given, "most", 0));
  return beside;
}

// Null where nothing is handed over.
absl::StatusOr<std::unique_ptr<Handover>> HandoverOf(
    const Beside& beside, const std::string& directory) {
  if (!beside.perfetto.empty()) {
    return PerfettoTrace::Create(beside.perfetto, directory);
  }
  if (!beside.spans.path.empty()) return SpanLog::Create(beside.spans);
  return std::unique_ptr<Handover>();
}

// An analysis on a thread of the pool; deletes itself when it is over.
class Analysing : public Napi::AsyncWorker {
 public:
  // With columns, tables or a file for another tool it is done with an object
  // that has the JSON and what they add: {json, columns, recording, written,
  // leftOut}; with a store also `ask`, which answers what a page asks.
  Analysing(Napi::Env env, std::string dir, ReportOptions options,
            Beside beside)
      : Napi::AsyncWorker(env, "edgewise.report"),
        done_(env),
        dir_(std::move(dir)),
        options_(std::move(options)),
        beside_(std::move(beside)) {
    options_.progress = progress_.get();
    if (beside_.columns) options_.columns = &columns_;
    if (!options_.tables.empty()) options_.recording = &recording_;
  }

  Napi::Promise Done() const { return done_.Promise(); }
  std::shared_ptr<AnalysisProgress> Progress() const { return progress_; }

 protected:
  void Execute() override {
    if (beside_.store) {
      auto store = TraceStore::Create(options_.scratch);
      if (!store.ok()) {
        json_ = store.status();
        return;
      }
      store_ = *std::move(store);
      options_.store = store_.get();
    }
    auto handover = HandoverOf(beside_, dir_);
    if (!handover.ok()) {
      json_ = handover.status();
      return;
    }
    handover_ = *std::move(handover);
    options_.watcher = handover_.get();
    json_ = BuildReport(dir_, options_);
  }
  void OnOK() override {
    // Also if it was over before it could end early.
    absl::Status status = progress_->status();
    if (!status.ok()) json_ = std::move(status);
    if (!json_.ok()) {
      done_.Reject(ErrorOf(Env(), json_.status()).Value());
      return;
    }
    const Napi::String json = Napi::String::New(Env(), *json_);
    if (options_.columns == nullptr && options_.recording == nullptr &&
        handover_ == nullptr) {
      done_.Resolve(json);
      return;
    }
    Napi::Object both = Napi::Object::New(Env());
    both.Set("json", json);
    if (handover_ != nullptr) {
      const auto count = [&](uint64_t value) {
        return Napi::Number::New(Env(), static_cast<double>(value));
      };
      both.Set("written", count(handover_->written()));
      both.Set("leftOut", count(handover_->left_out()));
    }
    if (options_.recording != nullptr) {
      both.Set("recording", Napi::String::New(Env(), recording_));
    }
    if (options_.columns != nullptr) {
      both.Set("columns", BytesOf(Env(), columns_));
    }
    if (store_ != nullptr) {
      both.Set("ask",
               Napi::Function::New(
                   Env(), [store = store_](const Napi::CallbackInfo& call) {
                     auto* const worker =
                         new Asking(call.Env(), store,
                                    QuestionOf(call[0].As<Napi::Object>()));
                     const Napi::Promise done = worker->Done();
                     worker->Queue();
                     return done;
                   }));
    }
    done_.Resolve(both);
  }

 private:
  const Napi::Promise::Deferred done_;
  const std::string dir_;
  ReportOptions options_;
  const Beside beside_;
  const std::shared_ptr<AnalysisProgress> progress_ =
      std::make_shared<AnalysisProgress>();
  absl::StatusOr<std::string> json_;
  std::string columns_;
  std::string recording_;
  std::shared_ptr<TraceStore> store_;
  std::unique_ptr<Handover> handover_;
};

Napi::Value Analyse(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto options = info[1].As<Napi::Object>();
  auto* const worker =
      new Analysing(env, info[0].As<Napi::String>().Utf8Value(),
                    OptionsOf(options), BesideOf(options));
  return StartWatched(env, worker);
}

}  // namespace

void InstallReporting(Napi::Env env, Napi::Object exports) {
  exports.Set("report", Napi::Function::New(env, &Report));
  exports.Set("analyse", Napi::Function::New(env, &Analyse));
}

}  // namespace edgewise
