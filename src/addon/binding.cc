#include <napi.h>

#include "addon/boosting.h"
#include "addon/recording.h"
#include "addon/reporting.h"
#include "addon/unseen.h"
#include "platform/termination.h"

namespace edgewise {
namespace {

void CatchTermination(const Napi::CallbackInfo&) {
  TerminationWatch::CatchAgain();
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  InstallRecording(env, exports);
  InstallReporting(env, exports);
  InstallBoosting(env, exports);
  InstallUnseen(env, exports);
  exports.Set("catchTermination", Napi::Function::New(env, &CatchTermination));
  return exports;
}

}  // namespace
}  // namespace edgewise

static Napi::Object InitEdgewise(Napi::Env env, Napi::Object exports) {
  return edgewise::Init(env, exports);
}
NODE_API_MODULE(edgewise, InitEdgewise)
