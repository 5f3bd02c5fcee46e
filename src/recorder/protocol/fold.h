#pragma once

#include <string_view>

#include "recorder/protocol/operation_text.h"

namespace edgewise {

// A name that may carry ids (of a table, of a collection) as it may be told:
// lower case, and `:id` for each part that looks like one: events_2024_01 is
// events_:id. Parts end at `.`, `_`, `-`, `$` and blanks.
void AppendFoldedName(std::string_view name, OperationText* operation);

// A path as it may be told: no query, no fragment, `:id` for each segment that
// looks like an id, a token or an address. What
// lib/instrument/servers/routes.js folds is folded here too, and more: whoever
// is asked may have put a key into a path. Of a path that is not `complete` the
// last segment is left out.
void AppendFoldedPath(std::string_view path, bool complete,
                      OperationText* operation);

}  // namespace edgewise
