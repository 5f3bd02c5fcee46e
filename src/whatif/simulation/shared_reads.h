#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

namespace edgewise {

// What has come, or will come, on connections that several requests share. One
// read takes all that is there when it is made, also what came after the loop
// was told of the connection.
class SharedReads {
 public:
  struct Answer {
    int64_t at_ns;
    uint32_t instance;
    uint32_t job;

    bool operator<(const Answer& other) const { return at_ns > other.at_ns; }
  };

  void Add(uint32_t connection, const Answer& answer) {
    if (connection >= coming_.size()) coming_.resize(connection + 1);
    coming_[connection].push(answer);
  }

  bool HasAny(uint32_t connection, int64_t now_ns) const {
    return connection < coming_.size() && !coming_[connection].empty() &&
           coming_[connection].top().at_ns <= now_ns;
  }

  // Takes the next that has come; there is one.
  Answer Take(uint32_t connection) {
    const Answer answer = coming_[connection].top();
    coming_[connection].pop();
    return answer;
  }

 private:
  std::vector<std::priority_queue<Answer>> coming_;  // by connection
};

}  // namespace edgewise
