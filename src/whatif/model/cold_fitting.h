#pragma once

#include "whatif/model/model.h"

namespace edgewise {

// Finds by route how much longer first jobs took after a sleep of the loop than
// without one, and takes that from all jobs: their lengths are those of warm
// caches. Of a job's own length it is at most half.
void FitColdCaches(LoopModel* model);

}  // namespace edgewise
