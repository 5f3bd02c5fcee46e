#include <napi.h>
#include <unistd.h>

#include <string>

#include "addon/boosting.h"
#include "addon/perf_mapping.h"
#include "addon/recording.h"
#include "addon/stalls.h"
#include "addon/unseen.h"
#include "hooks/process_exit.h"

namespace edgewise {
namespace {

// unlinkAtExit(path): where process.exit() or an uncaught exception ends the
// process, which leave libuv's sockets where they are.
void UnlinkAtExit(const Napi::CallbackInfo& info) {
  AtProcessExit(
      [](void* path) { unlink(static_cast<std::string*>(path)->c_str()); },
      new std::string(info[0].As<Napi::String>().Utf8Value()));
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  InstallRecording(env, exports);
  InstallBoosting(env, exports);
  InstallPerfMapping(env, exports);
  InstallStalls(env, exports);
  InstallUnseen(env, exports);
  exports.Set("unlinkAtExit", Napi::Function::New(env, &UnlinkAtExit));
  return exports;
}

}  // namespace
}  // namespace edgewise

static Napi::Object InitEdgewise(Napi::Env env, Napi::Object exports) {
  return edgewise::Init(env, exports);
}
NODE_API_MODULE(edgewise, InitEdgewise)
