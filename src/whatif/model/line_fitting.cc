#include "whatif/model/line_fitting.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace edgewise {
namespace {

// Fewer that were asked while others were waited for say nothing.
constexpr size_t kLeastOverlaps = 50;
// So many may come before what was asked earlier: their times are not exact.
constexpr double kMostOvertaking = 0.01;
constexpr int64_t kInexactNs = 50'000;

// What one read has brought came between its first bytes and its last.
void SpreadReads(std::span<LineFitting::Answer> answers) {
  for (size_t i = 0; i < answers.size();) {
    size_t end = i + 1;
    while (end < answers.size() && answers[end].turn == answers[i].turn) ++end;
    const size_t others = end - i - 1;
    const int64_t first_ns = answers[i].ready_ns;
    int64_t last_ns = first_ns;
    for (size_t k = i; k < end; ++k) {
      last_ns = std::max(last_ns, answers[k].ready_ns);
    }
    for (size_t k = 1; k <= others; ++k) {
      answers[i + k].ready_ns = first_ns + (last_ns - first_ns) *
                                               static_cast<int64_t>(k) /
                                               static_cast<int64_t>(others);
    }
    i = end;
  }
}

bool IsLine(std::span<const LineFitting::Answer> answers) {
  size_t overlaps = 0;
  size_t overtaking = 0;
  int64_t latest_ns = INT64_MIN;
  for (const LineFitting::Answer& answer : answers) {
    if (answer.asked_ns < latest_ns) {
      ++overlaps;
      if (answer.ready_ns < latest_ns - kInexactNs) ++overtaking;
    }
    latest_ns = std::max(latest_ns, answer.ready_ns);
  }
  return overlaps >= kLeastOverlaps &&
         static_cast<double>(overtaking) <=
             kMostOvertaking * static_cast<double>(overlaps);
}

// What the shortest answers have taken, but for a few whose times are wrong.
int64_t ShortestNs(std::span<const LineFitting::Answer> answers) {
  std::vector<int64_t> lengths;
  lengths.reserve(answers.size());
  for (const LineFitting::Answer& answer : answers) {
    lengths.push_back(answer.ready_ns - answer.asked_ns);
  }
  const auto at =
      lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 100);
  std::nth_element(lengths.begin(), at, lengths.end());
  return std::max<int64_t>(0, *at);
}

}  // namespace

void LineFitting::Fit(std::vector<Job>* jobs) {
  const auto order = [](const Answer& answer) {
    return std::tuple(answer.connection, answer.asked_ns, answer.job);
  };
  std::sort(answers_.begin(), answers_.end(),
            [&](const Answer& one, const Answer& other) {
              return order(one) < order(other);
            });
  uint32_t line = 0;
  for (size_t i = 0; i < answers_.size();) {
    size_t end = i;
    while (end < answers_.size() &&
           answers_[end].connection == answers_[i].connection) {
      ++end;
    }
    const std::span<Answer> answers = std::span(answers_).subspan(i, end - i);
    SpreadReads(answers);
    if (IsLine(answers)) FitOne(answers, ++line, jobs);
    i = end;
  }
}

void LineFitting::FitOne(std::span<Answer> answers, uint32_t line,
                         std::vector<Job>* jobs) {
  const int64_t shortest_ns = ShortestNs(answers);
  int64_t free_ns = INT64_MIN;
  for (const Answer& answer : answers) {
    const int64_t reaches_ns =
        std::min(answer.ready_ns, answer.asked_ns + shortest_ns);
    const int64_t begins_ns = std::max(reaches_ns, free_ns);
    Job& job = (*jobs)[answer.job];
    job.line = line;
    job.io_ns = job.io_most_ns =
        static_cast<float>(reaches_ns - answer.asked_ns);
    job.work_ns =
        static_cast<float>(std::max<int64_t>(0, answer.ready_ns - begins_ns));
    free_ns = std::max(begins_ns, answer.ready_ns);
  }
}

}  // namespace edgewise
