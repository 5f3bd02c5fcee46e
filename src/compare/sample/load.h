#pragma once

#include "compare/sample/side.h"

namespace edgewise {

// What a side was asked to do.
struct Load {
  double rate = 0;       // requests a second
  double in_flight = 0;  // requests, the mean over time
  // The share of the time in which nearly as many requests were in flight as
  // ever were: much where clients wait for an answer before they ask again.
  double at_most = 0;
  double bytes = -1;  // of a request, the mean; -1: not known
};

Load LoadOf(const Side& side);

}  // namespace edgewise
