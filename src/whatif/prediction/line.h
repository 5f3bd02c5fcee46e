#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

namespace edgewise {

struct Line {
  double base = 0;
  double slope = 0;

  double At(double x) const { return base + slope * x; }
};

// A line through points by least squares.
class LineFit {
 public:
  void Add(double x, double y) {
    ++count_;
    const double from_x = x - mean_x_;
    mean_x_ += from_x / static_cast<double>(count_);
    const double from_y = y - mean_y_;
    mean_y_ += from_y / static_cast<double>(count_);
    xx_ += from_x * (x - mean_x_);
    xy_ += from_x * (y - mean_y_);
    yy_ += from_y * (y - mean_y_);
  }

  size_t count() const { return count_; }
  double mean_x() const { return mean_x_; }
  double mean_y() const { return mean_y_; }

  // None: y does not grow with x, or so little that it may be by chance (its
  // slope is below three standard errors).
  std::optional<Line> Find() const {
    constexpr double kLeastErrors = 3;
    if (count_ < 3 || xx_ <= 0) return std::nullopt;
    const double slope = xy_ / xx_;
    const double left = std::fmax(0, yy_ - slope * xy_);
    const double error =
        std::sqrt(left / static_cast<double>(count_ - 2) / xx_);
    if (slope <= 0 || slope < kLeastErrors * error) return std::nullopt;
    // More than all of it cannot grow with x.
    const double base = std::fmax(0, mean_y_ - slope * mean_x_);
    return Line{base, base > 0 ? slope : mean_y_ / mean_x_};
  }

 private:
  size_t count_ = 0;
  double mean_x_ = 0;
  double mean_y_ = 0;
  double xx_ = 0;  // sums of squares about the means
  double xy_ = 0;
  double yy_ = 0;
};

}  // namespace edgewise
