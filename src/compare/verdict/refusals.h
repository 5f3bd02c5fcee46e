#pragma once

#include "compare/sample/side.h"
#include "compare/verdict/comparison.h"

namespace edgewise {

// Where each run of one side was recorded at the same time as one of the other:
// leaves what both have, and puts the runs of both in the same order. False,
// and nothing is changed, where they were not.
bool CutToCommonTime(Side* a, Side* b);

// Says why the comparison cannot say anything, if it cannot.
void Refuse(const Recorded& a, const Recorded& b, Comparison* comparison);

}  // namespace edgewise
