#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "analysis/page/store/scratch_file.h"

namespace edgewise {

// Any number of records on disk, lane after lane (one for each file of the
// trace). 64 of them make a node that tells their totals, 64 nodes make one of
// the level above, up to one that tells all of its lane. So a walk looks at as
// much as it has room for, and memory holds a few nodes of each level.
//
// Kind has:
//   Record, Totals (trivially copyable, about those below a node)
//   static int64_t BeginOf(record), EndOf(record)      ns
//   static Totals TotalsOf(const Record&)
//   static Totals Sum(span<const Totals>)
//   static void Encode(span<const Record>, std::string* bytes)
//   static void Decode(string_view bytes, size_t count, vector<Record>*)
template <typename Kind>
class Pyramid {
 public:
  static constexpr size_t kFan = 64;
  using Record = typename Kind::Record;
  using Totals = typename Kind::Totals;

  struct Node {
    int64_t begin_ns;  // the first begin and the last end of its records
    int64_t end_ns;
    uint64_t at;     // in the file
    uint64_t count;  // of records
    uint32_t bytes;
    uint32_t level;  // 0: its children are records
    Totals totals;
  };
  static_assert(std::is_trivially_copyable_v<Node>);

  explicit Pyramid(ScratchFile* file) : file_(file) {}

  void Push(const Record& record) {
    records_.push_back(record);
    if (records_.size() == kFan) CloseBlock();
  }

  // What comes now is of the next lane.
  void EndLane() {
    if (!records_.empty()) CloseBlock();
    for (size_t level = 0; level < levels_.size(); ++level) {
      const bool top = level + 1 == levels_.size();
      if (levels_[level].empty() || (top && levels_[level].size() == 1)) {
        continue;
      }
      CloseNodes(level);  // may add a level
    }
    roots_.push_back(levels_.empty() || levels_.back().empty()
                         ? std::nullopt
                         : std::optional(levels_.back().front()));
    levels_.clear();
  }

  // Only what follows after the file was flushed.

  // Of each lane; null: it has no record.
  const std::vector<std::optional<Node>>& roots() const { return roots_; }

  // Of a node of level 1 and above.
  absl::Status Children(const Node& node, std::vector<Node>* children) const {
    children->resize(node.bytes / sizeof(Node));
    return file_->Read(node.at, node.bytes,
                       reinterpret_cast<char*>(children->data()));
  }
  // Of a node of level 0. Replaces `records`.
  absl::Status Records(const Node& node, std::vector<Record>* records) const {
    std::string bytes(node.bytes, '\0');
    records->clear();
    absl::Status status = file_->Read(node.at, bytes.size(), bytes.data());
    if (status.ok()) Kind::Decode(bytes, node.count, records);
    return status;
  }

  // From the first to the last: `enter` says of each node whether its children
  // are wanted; if so, of a node of level 0 `visit` is given each record.
  template <typename Enter, typename Visit>
  absl::Status Walk(const Node& node, Enter&& enter, Visit&& visit) const {
    if (!enter(node)) return absl::OkStatus();
    if (node.level == 0) {
      std::vector<Record> records;
      absl::Status status = Records(node, &records);
      for (const Record& record : records) visit(record);
      return status;
    }
    std::vector<Node> children;
    absl::Status status = Children(node, &children);
    for (const Node& child : children) {
      if (!status.ok()) return status;
      status = Walk(child, enter, visit);
    }
    return status;
  }

 private:
  void CloseBlock() {
    Node node{};
    node.begin_ns = Kind::BeginOf(records_.front());
    node.end_ns = Kind::EndOf(records_.front());
    totals_.clear();
    for (const Record& record : records_) {
      node.begin_ns = std::min(node.begin_ns, Kind::BeginOf(record));
      node.end_ns = std::max(node.end_ns, Kind::EndOf(record));
      totals_.push_back(Kind::TotalsOf(record));
    }
    node.totals = Kind::Sum(totals_);
    node.count = records_.size();
    encoded_.clear();
    Kind::Encode(records_, &encoded_);
    Place(encoded_, &node);
    records_.clear();
    Add(0, node);
  }

  void Add(size_t level, const Node& node) {
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level].push_back(node);
    if (levels_[level].size() == kFan) CloseNodes(level);
  }

  void CloseNodes(size_t level) {
    const std::vector<Node> nodes = std::move(levels_[level]);
    levels_[level].clear();
    Node node{};
    node.begin_ns = nodes.front().begin_ns;
    node.end_ns = nodes.front().end_ns;
    totals_.clear();
    for (const Node& child : nodes) {
      node.begin_ns = std::min(node.begin_ns, child.begin_ns);
      node.end_ns = std::max(node.end_ns, child.end_ns);
      node.count += child.count;
      totals_.push_back(child.totals);
    }
    node.totals = Kind::Sum(totals_);
    node.level = static_cast<uint32_t>(level + 1);
    Place({reinterpret_cast<const char*>(nodes.data()),
           nodes.size() * sizeof(Node)},
          &node);
    Add(level + 1, node);
  }

  void Place(std::string_view bytes, Node* node) {
    node->at = file_->Append(bytes);
    node->bytes = static_cast<uint32_t>(bytes.size());
  }

  ScratchFile* const file_;
  std::vector<Record> records_;
  std::vector<std::vector<Node>> levels_;
  std::vector<std::optional<Node>> roots_;
  // Of what is closed.
  std::string encoded_;
  std::vector<Totals> totals_;
};

}  // namespace edgewise
