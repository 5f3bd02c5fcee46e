#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trace/reader.h"
#include "whatif/prediction/prediction.h"

namespace edgewise {

// What was fitted.
struct FitFacts {
  uint64_t requests = 0;
  uint64_t left_out = 0;  // their graphs are not whole, or there is no room
  double seconds = 0;
  const std::vector<LoopModel>* loops = nullptr;
};

nlohmann::ordered_json FitJson(const FitFacts& facts,
                               const Prediction& unchanged,
                               const RouteTable& routes);

// A scenario's part of the answer, where the recording cannot tell it.
nlohmann::ordered_json RefusedJson(const std::string& name,
                                   const std::string& why,
                                   const Prediction& unchanged,
                                   const RouteTable& routes);

// A scenario's part of the answer.
nlohmann::ordered_json ScenarioJson(const std::string& name,
                                    const Prediction& prediction,
                                    const RouteTable& routes);

}  // namespace edgewise
