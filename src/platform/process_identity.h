#pragma once

#include <string>

namespace edgewise {

// What tells this process from every other one, whatever its number: from when
// the machine booted, the namespace of its number and when it began, or random
// where that is not to be read. 16 hexadecimal digits, the same for all its
// threads.
const std::string& ProcessIdentity();

}  // namespace edgewise
