#include "across/request_trees.h"

#include <algorithm>

namespace edgewise {
namespace {

// False: it has not waited for this answer before.
bool AddTo(RequestTree* tree, const JoinedCall& joined) {
  for (RequestTree::Call& call : tree->calls) {
    if (call.served.file != joined.served->file ||
        call.served.request != joined.served->request) {
      continue;
    }
    call.begin_ns = std::min(call.begin_ns, joined.call->begin_ns);
    call.io_ns += joined.call->end_ns - joined.call->begin_ns;
    call.parts += joined.parts;
    return true;
  }
  return false;
}

}  // namespace

RequestTrees::RequestTrees(
    const std::vector<std::pair<uint32_t, uint32_t>>& roots) {
  for (const auto& [file, request] : roots) {
    roots_.push_back(
        std::make_unique<RequestTree>(RequestTree{file, request, {}}));
  }
}

// Level by level: each takes one look at all calls.
absl::Status RequestTrees::Grow(Joining* joining) {
  size_t requests = roots_.size();
  std::map<std::pair<uint32_t, uint32_t>, std::vector<RequestTree*>> level;
  for (const auto& root : roots_) {
    level[{root->file, root->request}].push_back(root.get());
  }
  for (int depth = 0; depth < kMostLevels && !level.empty(); ++depth) {
    absl::Status status = joining->ForEach([&](const JoinedCall& joined) {
      const auto asked = level.find({joined.call->file, joined.call->request});
      if (asked == level.end() || joined.served == nullptr) return;
      for (RequestTree* const tree : asked->second) {
        if (AddTo(tree, joined)) continue;
        if (requests >= kMostRequests) {
          truncated_ = true;
          return;
        }
        ++requests;
        tree->calls.push_back(
            {joined.call->begin_ns, joined.call->end_ns - joined.call->begin_ns,
             joined.call->clock == joined.served->clock, joined.by,
             joined.parts, *joined.served,
             std::make_unique<RequestTree>(RequestTree{
                 joined.served->file, joined.served->request, {}})});
      }
    });
    if (!status.ok()) return status;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<RequestTree*>> next;
    for (const auto& [key, trees] : level) {
      for (RequestTree* const tree : trees) {
        std::sort(tree->calls.begin(), tree->calls.end(),
                  [](const auto& one, const auto& other) {
                    return one.begin_ns < other.begin_ns;
                  });
        for (const RequestTree::Call& call : tree->calls) {
          next[{call.request->file, call.request->request}].push_back(
              call.request.get());
        }
      }
    }
    level = std::move(next);
  }
  truncated_ = truncated_ || !level.empty();
  return absl::OkStatus();
}

}  // namespace edgewise
