#pragma once

#include <nlohmann/json.hpp>

#include "analysis/graph/dependency.h"

namespace edgewise {

// `dependencies` of docs/report-json.md. `io_ns`: all that the tail waited.
nlohmann::ordered_json DependenciesJson(const DependencyLedger& ledger,
                                        const DependencyTable& table,
                                        double io_ns);

}  // namespace edgewise
