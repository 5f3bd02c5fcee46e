#include "across/call_names.h"

#include <algorithm>
#include <tuple>

#include "across/sessions.h"
#include "trace/trace_context.h"

namespace edgewise {
namespace {

constexpr size_t kMostOfAName = 64;

// Several steps may wait for parts of one answer.
struct Question {
  uint32_t file;
  uint32_t request;
  int64_t asked_ns;
  int64_t read_ns;
  uint16_t clock;
  std::vector<size_t> candidates;  // places of requests

  bool IsOf(const CalledRow& call) const {
    return std::tie(file, request, asked_ns) ==
           std::tie(call.file, call.request, call.asked_ns);
  }
  bool MayBe(const ServedRow& served) const {
    if (served.file == file && served.request == request) return false;
    if (served.clock != clock) return IsLongEnough(served);
    const auto outside =
        OutsideOf(asked_ns, read_ns, served.ready_ns, served.end_ns);
    return outside.has_value() && outside->IsPossible();
  }
  // Where nothing else may be.
  bool Is(const ServedRow& served) const {
    if (served.clock != clock) return true;
    return OutsideOf(asked_ns, read_ns, served.ready_ns, served.end_ns)
        ->IsNoMoreThan(kPreemptedNs);
  }

 private:
  bool IsLongEnough(const ServedRow& served) const {
    return served.end_ns - served.ready_ns <= read_ns - asked_ns + kLateNs;
  }
};

class Names {
 public:
  Names(std::span<const CalledRow> calls, std::span<const ServedRow> requests)
      : requests_(requests) {
    for (const CalledRow& call : calls) {
      Question* const known = Of(call);
      if (known != nullptr) {
        known->read_ns = std::max(known->read_ns, call.read_ns);
      } else {
        questions_.push_back({call.file,
                              call.request,
                              call.asked_ns,
                              call.read_ns,
                              call.clock,
                              {}});
      }
    }
  }

  void Join() {
    for (Question& question : questions_) {
      for (size_t i = 0; i < requests_.size(); ++i) {
        if (question.MayBe(requests_[i])) question.candidates.push_back(i);
      }
    }
    LeaveOutNested();
  }

  Question* Of(const CalledRow& call) {
    const auto found =
        std::find_if(questions_.begin(), questions_.end(),
                     [&](const Question& each) { return each.IsOf(call); });
    return found != questions_.end() ? &*found : nullptr;
  }

  // Who else may have asked for it.
  size_t AskersOf(size_t request) const {
    return std::count_if(
        questions_.begin(), questions_.end(), [&](const Question& each) {
          return std::find(each.candidates.begin(), each.candidates.end(),
                           request) != each.candidates.end();
        });
  }
  size_t questions() const { return questions_.size(); }

 private:
  // A request that another candidate may have asked for is further down.
  void LeaveOutNested() {
    std::vector<std::vector<size_t>> left;
    for (const Question& outer : questions_) {
      std::vector<size_t>& kept = left.emplace_back(outer.candidates);
      for (const Question& inner : questions_) {
        const bool below = std::any_of(
            outer.candidates.begin(), outer.candidates.end(), [&](size_t i) {
              return requests_[i].file == inner.file &&
                     requests_[i].request == inner.request;
            });
        if (!below) continue;
        std::erase_if(kept, [&](size_t i) {
          return std::find(inner.candidates.begin(), inner.candidates.end(),
                           i) != inner.candidates.end();
        });
      }
    }
    for (size_t i = 0; i < left.size(); ++i) {
      questions_[i].candidates = std::move(left[i]);
    }
  }

  const std::span<const ServedRow> requests_;
  std::vector<Question> questions_;
};

}  // namespace

std::vector<NamedCall> JoinByName(std::span<const CalledRow> calls,
                                  std::span<const ServedRow> requests) {
  std::vector<NamedCall> joined(calls.size());
  if (calls.empty() || requests.empty() || calls.size() > kMostOfAName ||
      requests.size() > kMostOfAName) {
    return joined;
  }
  Names names(calls, requests);
  const bool traced = TraceContext::IsTracedKey(calls.front().context);
  if (traced && names.questions() == 1 && requests.size() == 1) {
    for (size_t i = 0; i < calls.size(); ++i) {
      if (Fits(calls[i], requests[0])) joined[i] = {&requests[0], 1};
    }
    return joined;
  }
  names.Join();
  for (size_t i = 0; i < calls.size(); ++i) {
    const Question& question = *names.Of(calls[i]);
    const auto& candidates = question.candidates;
    joined[i].candidates = static_cast<uint32_t>(candidates.size());
    if (candidates.size() == 1 && names.AskersOf(candidates[0]) == 1 &&
        question.Is(requests[candidates[0]])) {
      joined[i].request = &requests[candidates[0]];
    }
  }
  return joined;
}

}  // namespace edgewise
