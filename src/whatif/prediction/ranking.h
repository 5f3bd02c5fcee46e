#pragma once

#include <vector>

#include "whatif/model/model.h"
#include "whatif/prediction/change.h"

namespace edgewise {

// What could be changed in the code that ran: half the execution of a route,
// half the wait for a dependency, a route's or anybody's, half the collections,
// the same calls in a row made one. Of each kind those that weigh most.
std::vector<Scenario> Candidates(const std::vector<LoopModel>& loops,
                                 const ModelNames& names);

}  // namespace edgewise
