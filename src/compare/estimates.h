#pragma once

#include <vector>

#include "compare/comparison.h"

namespace edgewise {

// What a value came to in the data, and in each resample.
struct Estimates {
  double value;
  std::vector<double> drawn;  // those that are not finite are left out
};

// As many standard errors leave 2.5 % on each side.
inline constexpr double kTwoSides = 1.959964;

// Of a logarithm of a ratio, with its 95 % interval as B / A - 1. `blocks`:
// that were drawn; the fewer there are the wider it is (Student).
Difference RatioOf(const Estimates& logs, double blocks);
// Of anything else.
Difference DifferenceOf(const Estimates& values, double blocks);

// The standard error; widened as the intervals are.
double ErrorOf(const Estimates& values, double blocks);

// Quantile of Student's distribution for two sides of 2.5 %.
double StudentOf(double freedom);
// How likely a value so many standard errors away from 0 is by chance.
double ChanceOf(double errors);

}  // namespace edgewise
