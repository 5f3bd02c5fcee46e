#include "across/call_names.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "across/sessions.h"
#include "trace/trace_context.h"

namespace edgewise {
namespace {

constexpr size_t kMostOfAName = 64;
constexpr int kMostLevels = 16;

using RequestId = std::pair<uint32_t, uint32_t>;  // file, request

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
  // Any that was there meanwhile: both of its ends may be told of late.
  bool MayBe(const ServedRow& served) const {
    if (served.file == file && served.request == request) return false;
    if (served.clock != clock) return IsLongEnough(served);
    return OutsideOf(asked_ns, read_ns, served.ready_ns, served.end_ns)
        .has_value();
  }
  // Where nothing else may be.
  bool Is(const ServedRow& served) const {
    if (served.clock != clock) return true;
    return OutsideOf(asked_ns, read_ns, served.ready_ns, served.end_ns)
        ->IsNoMoreThan(kPreemptedNs);
  }
  RequestId id() const { return {file, request}; }

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
      if (call.served_file != 0) {
        joined_.push_back({{call.served_file, call.served_request},
                           {call.file, call.request}});
        continue;
      }
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
    LeaveOutAncestors();
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
  static RequestId IdOf(const ServedRow& row) {
    return {row.file, row.request};
  }

  // Whether what asks was there before the request, and after it. One of both
  // times may be off.
  bool Holds(const Question& question, const ServedRow& request) const {
    for (const ServedRow& row : requests_) {
      if (IdOf(row) == question.id()) {
        return row.ready_ns < request.ready_ns && row.end_ns > request.end_ns;
      }
    }
    return question.asked_ns < request.ready_ns;
  }

  // Who has asked for it, or may have.
  std::optional<RequestId> AskerOf(RequestId request) const {
    for (const auto& [served, asker] : joined_) {
      if (served == request) return asker;
    }
    for (const Question& question : questions_) {
      for (const size_t i : question.candidates) {
        if (IdOf(requests_[i]) == request &&
            requests_[i].clock == question.clock &&
            Holds(question, requests_[i])) {
          return question.id();
        }
      }
    }
    return std::nullopt;
  }

  bool IsAbove(RequestId request, const Question& question) const {
    std::optional<RequestId> asker = AskerOf(question.id());
    for (int i = 0; i < kMostLevels && asker.has_value(); ++i) {
      if (*asker == request) return true;
      asker = AskerOf(*asker);
    }
    return false;
  }

  void LeaveOutAncestors() {
    std::vector<std::vector<size_t>> left;
    for (const Question& question : questions_) {
      std::vector<size_t>& kept = left.emplace_back(question.candidates);
      std::erase_if(kept, [&](size_t i) {
        return IsAbove(IdOf(requests_[i]), question);
      });
    }
    Keep(std::move(left));
  }

  void Keep(std::vector<std::vector<size_t>> candidates) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      questions_[i].candidates = std::move(candidates[i]);
    }
  }

  // A request that another candidate may have asked for is further down.
  void LeaveOutNested() {
    std::vector<std::vector<size_t>> left;
    for (const Question& outer : questions_) {
      std::vector<size_t>& kept = left.emplace_back(outer.candidates);
      for (const Question& inner : questions_) {
        const bool below = std::any_of(
            outer.candidates.begin(), outer.candidates.end(),
            [&](size_t i) { return IdOf(requests_[i]) == inner.id(); });
        if (!below) continue;
        std::erase_if(kept, [&](size_t i) {
          return std::find(inner.candidates.begin(), inner.candidates.end(),
                           i) != inner.candidates.end();
        });
      }
    }
    Keep(std::move(left));
  }

  const std::span<const ServedRow> requests_;
  std::vector<Question> questions_;
  // Of calls that are joined already: a request, and who has asked for it.
  std::vector<std::pair<RequestId, RequestId>> joined_;
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
    if (calls[i].served_file != 0) continue;
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
