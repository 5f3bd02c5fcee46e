#pragma once

#include <napi.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "analysis/stream/progress.h"
#include "napi/errors.h"

namespace edgewise {

// Work on a thread of the pool whose outcome is a text; for StartWatched().
// Deletes itself when it is over.
class WatchedWorker : public Napi::AsyncWorker {
 public:
  WatchedWorker(Napi::Env env, const char* name)
      : Napi::AsyncWorker(env, name), done_(env) {}

  Napi::Promise Done() const { return done_.Promise(); }
  std::shared_ptr<AnalysisProgress> Progress() const { return progress_; }

 protected:
  virtual absl::StatusOr<std::string> Work(AnalysisProgress* progress) = 0;

  void Execute() override { text_ = Work(progress_.get()); }
  void OnOK() override {
    // Also if it was over before it could end early.
    absl::Status status = progress_->status();
    if (!status.ok()) text_ = std::move(status);
    if (text_.ok()) {
      done_.Resolve(Napi::String::New(Env(), *text_));
    } else {
      done_.Reject(ErrorOf(Env(), text_.status()).Value());
    }
  }

 private:
  const Napi::Promise::Deferred done_;
  const std::shared_ptr<AnalysisProgress> progress_ =
      std::make_shared<AnalysisProgress>();
  absl::StatusOr<std::string> text_;
};

}  // namespace edgewise
