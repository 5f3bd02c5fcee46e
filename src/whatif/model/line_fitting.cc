#include "whatif/model/line_fitting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace edgewise {
namespace {

// Fewer that were asked while others were waited for say nothing.
constexpr size_t kLeastOverlaps = 50;
// So many may come before what was asked earlier: their times are not exact.
constexpr double kMostOvertaking = 0.01;
constexpr int64_t kInexactNs = 50'000;
// Fewer that waited, or did not, say nothing of a call.
constexpr double kLeastOfACall = 10;
// Where less of their work is left when they wait, they came in order and did
// not wait for each other.
constexpr double kLeastLasting = 0.5;

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

bool KeepOrder(std::span<const LineFitting::Answer> answers) {
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

struct Work {
  int64_t way_ns;
  int64_t ns;
  bool waits;  // for what was asked before
};

std::vector<Work> WorksOf(std::span<const LineFitting::Answer> answers) {
  const int64_t shortest_ns = ShortestNs(answers);
  std::vector<Work> works;
  works.reserve(answers.size());
  int64_t free_ns = INT64_MIN;
  for (const LineFitting::Answer& answer : answers) {
    const int64_t reaches_ns =
        std::min(answer.ready_ns, answer.asked_ns + shortest_ns);
    const int64_t begins_ns = std::max(reaches_ns, free_ns);
    works.push_back({reaches_ns - answer.asked_ns,
                     std::max<int64_t>(0, answer.ready_ns - begins_ns),
                     free_ns > reaches_ns});
    free_ns = std::max(begins_ns, answer.ready_ns);
  }
  return works;
}

// Which share of the work of those that did not wait is left where they wait,
// call by call: waking up and delays on the way are not. 0: not known.
double LastingShare(std::span<const LineFitting::Answer> answers,
                    std::span<const Work> works, const std::vector<Job>& jobs) {
  struct Sums {
    std::array<double, 2> count{};  // of those that did not wait, and did
    std::array<double, 2> ns{};
  };
  absl::flat_hash_map<uint32_t, Sums> calls;
  for (size_t i = 0; i < answers.size(); ++i) {
    Sums& sums = calls[jobs[answers[i].job].call];
    ++sums.count[works[i].waits ? 1 : 0];
    sums.ns[works[i].waits ? 1 : 0] += static_cast<double>(works[i].ns);
  }
  double came_ns = 0;
  double alone_ns = 0;
  for (const auto& [call, sums] : calls) {
    if (std::min(sums.count[0], sums.count[1]) < kLeastOfACall) continue;
    came_ns += sums.ns[1];
    alone_ns += sums.ns[0] / sums.count[0] * sums.count[1];
  }
  return alone_ns > 0 ? std::min(1.0, came_ns / alone_ns) : 0;
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
  uint32_t lines = 0;
  for (size_t i = 0; i < answers_.size();) {
    size_t end = i;
    while (end < answers_.size() &&
           answers_[end].connection == answers_[i].connection) {
      ++end;
    }
    const std::span<Answer> answers = std::span(answers_).subspan(i, end - i);
    SpreadReads(answers);
    if (KeepOrder(answers) && FitOne(answers, lines + 1, jobs)) ++lines;
    i = end;
  }
}

bool LineFitting::FitOne(std::span<const Answer> answers, uint32_t line,
                         std::vector<Job>* jobs) {
  const std::vector<Work> works = WorksOf(answers);
  const double lasting = LastingShare(answers, works, *jobs);
  if (lasting < kLeastLasting) return false;
  for (size_t i = 0; i < answers.size(); ++i) {
    const Work& work = works[i];
    const auto all_ns = static_cast<float>(work.ns);
    Job& job = (*jobs)[answers[i].job];
    job.line = line;
    job.work_ns = work.waits ? all_ns : all_ns * static_cast<float>(lasting);
    job.io_ns = job.io_most_ns =
        static_cast<float>(work.way_ns) + all_ns - job.work_ns;
  }
  return true;
}

}  // namespace edgewise
