#pragma once

namespace edgewise {

// Whether all that has come on a TCP connection so far came in one segment, and
// its end has not come. False also where the kernel does not tell.
bool CameInOneSegment(int fd);

}  // namespace edgewise
