#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "whatif/model/model.h"

namespace edgewise {

// Young objects may take `bytes` before they are collected. The larger that is,
// the rarer collections are; each then takes as much longer as more survives
// it: what is in use at any time, and in proportion what lives long.
// FailedPrecondition: the recording does not tell what survives.
absl::Status ChangeSemiSpace(double bytes, LoopModel* model,
                             std::vector<std::string>* assumed);

}  // namespace edgewise
