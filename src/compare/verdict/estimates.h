#pragma once

#include <vector>

namespace edgewise {

// An estimate with its 95 % interval. Of a ratio: B / A - 1.
struct Difference {
  double value = 0;
  double low = 0;
  double high = 0;

  bool IsSure() const { return low > 0 || high < 0; }
};

// What a value came to in the data, and in each resample.
struct Estimates {
  double value;
  std::vector<double> drawn;  // those that are not finite are left out
};

// As many standard errors leave 2.5 % on each side.
inline constexpr double kTwoSides = 1.959964;

// How wide intervals of 95 % are.
class Sureness {
 public:
  // `blocks`: that were drawn; the fewer there are, the wider it is (Student).
  // `always`: the intervals of all looks at data that grows hold together, so
  // that one may stop at any (asymptotic confidence sequence: Waudby-Smith et
  // al., Annals of Statistics 52, 2024).
  Sureness(double blocks, bool always) : blocks_(blocks), always_(always) {}

  // So much wider: what is drawn in blocks varies less than the data do, as
  // blocks cut through what belongs together. Half as long blocks cut twice as
  // often; the difference tells how much is missing (as lugsail windows do:
  // Vats and Flegal, Biometrika 109, 2022).
  Sureness For(const Estimates& blocks, const Estimates& halves) const;

  // Of a logarithm of a ratio, as B / A - 1.
  Difference RatioOf(const Estimates& logs) const;
  // Of anything else.
  Difference DifferenceOf(const Estimates& values) const;
  // The standard error, widened for few blocks.
  double ErrorOf(const Estimates& values) const;
  // An interval reaches so many errors to each side.
  double errors() const;

 private:
  double WiderBy() const;

  double blocks_;
  bool always_;
  double cut_ = 1;  // errors are so many times as large
};

// Quantile of Student's distribution for two sides of 2.5 %.
double StudentOf(double freedom);
// How likely a value so many standard errors away from 0 is by chance.
double ChanceOf(double errors);

}  // namespace edgewise
