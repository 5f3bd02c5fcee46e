// Prints, as a line of JSON for each kind of pair, how often its sides are said
// to differ.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/compare/naive.h"
#include "compare/verdict/comparison.h"
#include "test/native/compare/sides.h"

namespace edgewise {
namespace {

constexpr uint32_t kResamples = 1000;
constexpr uint32_t kNaiveResamples = 200;
constexpr int64_t kLaterNs = 1'000'000'000'000;
constexpr size_t kPercentiles = 3;  // p50, p90, p99

struct Kind {
  const char* name;
  SideSpec a;
  SideSpec b;
};

// How often it was said that the sides differ.
struct Said {
  std::atomic<int> refused = 0;  // for too few blocks
  std::atomic<int> differ[kPercentiles] = {};
  std::atomic<int> standardised[kPercentiles] = {};
  std::atomic<int> ranks = 0;
  std::atomic<int> naive[kPercentiles] = {};
  std::atomic<int> held[kPercentiles] = {};    // intervals that hold the truth
  std::vector<double> smallest[kPercentiles];  // of each pair
};

std::vector<float> LatenciesOf(const Side& side) {
  std::vector<float> latencies;
  for (const ComparedRequest& each : side.runs[0].requests) {
    latencies.push_back(each.latency_ns);
  }
  return latencies;
}

void ComparePair(const Kind& kind, uint64_t number, Said* said) {
  SideSpec one = kind.a;
  SideSpec other = kind.b;
  one.seed = 2 * number + 1;
  other.seed = 2 * number + 2;
  other.begin_ns += kLaterNs;
  const Side a = MadeSide(one);
  const Side b = MadeSide(other);
  CompareOptions options;
  options.resamples = kResamples;
  options.seed = number + 1;
  options.brief = true;
  const Comparison found = Compare(a, b, options);
  bool few = false;
  for (const std::string& why : found.refused) {
    few |= why.find("too few") != std::string::npos;
  }
  if (few) ++said->refused;
  for (size_t i = 0; i < kPercentiles && i < found.percentiles.size(); ++i) {
    const PercentileDifference& each = found.percentiles[i];
    said->differ[i] += each.ratio.IsSure() ? 1 : 0;
    said->standardised[i] += each.standardised.IsSure() ? 1 : 0;
    const double truth = kind.b.slower / kind.a.slower - 1;
    said->held[i] +=
        each.ratio.low <= truth && truth <= each.ratio.high ? 1 : 0;
    said->smallest[i][number] = each.smallest;
    said->naive[i] +=
        BootstrapDiffers(LatenciesOf(a), LatenciesOf(b), each.percentile / 100,
                         kNaiveResamples, number + 1)
            ? 1
            : 0;
  }
  said->ranks += RanksDiffer(LatenciesOf(a), LatenciesOf(b)) ? 1 : 0;
}

void CompareAll(const Kind& kind, int pairs, Said* said) {
  for (auto& each : said->smallest) each.assign(static_cast<size_t>(pairs), 0);
  std::atomic<int> next = 0;
  const auto work = [&] {
    for (int i = next++; i < pairs; i = next++) {
      ComparePair(kind, static_cast<uint64_t>(i), said);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) thread.join();
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double each : values) sum += each;
  return sum / static_cast<double>(values.size());
}

void PrintList(const char* name, const std::atomic<int>* counts, int pairs) {
  std::printf(",\"%s\":[%g,%g,%g]", name, 1.0 * counts[0] / pairs,
              1.0 * counts[1] / pairs, 1.0 * counts[2] / pairs);
}

void Print(const Kind& kind, int pairs, const Said& said) {
  std::printf("{\"kind\":\"%s\",\"pairs\":%d,\"refused\":%g", kind.name, pairs,
              1.0 * said.refused / pairs);
  PrintList("differ", said.differ, pairs);
  PrintList("standardised", said.standardised, pairs);
  PrintList("held", said.held, pairs);
  PrintList("naive", said.naive, pairs);
  std::printf(",\"ranks\":%g,\"smallest\":[%g,%g,%g]}\n",
              1.0 * said.ranks / pairs, MeanOf(said.smallest[0]),
              MeanOf(said.smallest[1]), MeanOf(said.smallest[2]));
  std::fflush(stdout);
}

std::vector<Kind> Kinds() {
  const SideSpec plain;
  std::vector<Kind> kinds = {
      {"the same, remembers 50 ms", plain, plain},
      {"the same, remembers 0.2 s", plain, plain},
      {"the same, remembers 1 s", plain, plain},
      {"the same, with pauses", plain, plain},
      {"the same, one in 200 a hundred times as long", plain, plain},
      {"another mixture", plain, plain},
      {"wider, of the same median", plain, plain},
      {"other pauses", plain, plain},
      {"one in 50 a hundred times as long", plain, plain},
  };
  kinds[1].a.memory_s = kinds[1].b.memory_s = 0.2;
  kinds[2].a.memory_s = kinds[2].b.memory_s = 1;
  kinds[2].a.seconds = kinds[2].b.seconds = 500;
  for (SideSpec* const each :
       {&kinds[3].a, &kinds[3].b, &kinds[7].a, &kinds[7].b}) {
    each->pauses_per_s = 3;
    each->pause_s = 0.01;
  }
  kinds[4].a.outliers = kinds[4].b.outliers = 0.005;
  kinds[5].b.heavy = 0.4;
  kinds[6].b.own = 0.55;
  kinds[7].b.pauses_per_s = 1;
  kinds[7].b.pause_s = 0.04;
  kinds[8].b.outliers = 0.02;
  return kinds;
}

// B is slower by the smallest effect that the pairs were said to show.
Kind SlowerBy(double smallest, const char* name) {
  Kind kind = {name, {}, {}};
  kind.b.slower = 1 + smallest;
  return kind;
}

void PrintAll(int pairs) {
  double smallest[kPercentiles] = {};
  for (const Kind& kind : Kinds()) {
    Said said;
    CompareAll(kind, pairs, &said);
    Print(kind, pairs, said);
    if (smallest[0] > 0) continue;
    for (size_t i = 0; i < kPercentiles; ++i) {
      smallest[i] = MeanOf(said.smallest[i]);
    }
  }
  const char* const names[] = {"slower by the smallest effect of p50",
                               "slower by the smallest effect of p90",
                               "slower by the smallest effect of p99"};
  for (size_t i = 0; i < kPercentiles; ++i) {
    const Kind kind = SlowerBy(smallest[i], names[i]);
    Said said;
    CompareAll(kind, pairs, &said);
    Print(kind, pairs, said);
  }
}

}  // namespace
}  // namespace edgewise

int main(int count, char** arguments) {
  const int pairs = count == 2 ? std::atoi(arguments[1]) : 0;
  if (pairs < 1) {
    std::fprintf(stderr, "usage: edgewise-pairs PAIRS (at least 1)\n");
    return 2;
  }
  edgewise::PrintAll(pairs);
  return 0;
}
