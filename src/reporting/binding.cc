#include <napi.h>

#include "reporting/comparing.h"
#include "reporting/following.h"
#include "reporting/joining.h"
#include "reporting/predicting.h"
#include "reporting/reporting.h"

// An addon of its own, which uses nothing of one version of Node: a platform
// needs it once, and a server that records does not load it.
static Napi::Object InitReporting(Napi::Env env, Napi::Object exports) {
  edgewise::InstallReporting(env, exports);
  edgewise::InstallComparing(env, exports);
  edgewise::InstallFollowing(env, exports);
  edgewise::InstallJoining(env, exports);
  edgewise::InstallPredicting(env, exports);
  return exports;
}
NODE_API_MODULE(edgewise_report, InitReporting)
