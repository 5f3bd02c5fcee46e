#include "analysis/stacks/stack_tree.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace edgewise {
namespace {

// More frames than any recorder writes down: a trace that has them is damaged.
constexpr size_t kMaxDepth = 256;

}  // namespace

StackTree::StackTree() {
  nodes_.push_back({0, {InternText(""), InternText(""), 0, 0}});
}

uint32_t StackTree::InternText(std::string_view text) {
  const auto [it, added] = text_numbers_.try_emplace(
      std::string(text), static_cast<uint32_t>(texts_.size()));
  if (added) texts_.emplace_back(text);
  return it->second;
}

uint32_t StackTree::Intern(uint32_t parent, std::string_view function,
                           std::string_view script, uint32_t line,
                           uint32_t column) {
  if (nodes_.size() >= kMaxNodes) return parent;
  const Frame frame = {InternText(function), InternText(script), line, column};
  const auto [it, added] = numbers_.try_emplace(
      Key{parent, frame}, static_cast<uint32_t>(nodes_.size()));
  if (added) nodes_.push_back({parent, frame});
  return it->second;
}

uint32_t StackTree::InternNative(uint32_t caller, const std::string& module,
                                 uint64_t address) {
  const size_t split = std::min(module.find('\n'), module.size());
  const std::string path = module.substr(0, split);
  const auto [found, added] = symbols_.try_emplace(module);
  if (added) {
    const size_t build = std::min(split + 1, module.size());
    found->second =
        ElfSymbols::Read(path, std::string_view(module).substr(build));
  }
  const std::string name =
      found->second != nullptr ? found->second->NameOf(address) : "";
  return Intern(caller, name, std::string(kNative) + path, 0, 0);
}

std::optional<FileStacks::Entry> FileStacks::Read(uint32_t string_id) const {
  const std::string* const text = stream_->StringOf(string_id);
  if (text == nullptr) return std::nullopt;
  std::array<uint32_t, 4> numbers;
  const char* at = text->data();
  const char* const end = at + text->size();
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ' ')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc()) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return Entry{numbers[0], numbers[1], numbers[2], numbers[3]};
}

uint32_t FileStacks::NodeOf(const StackSample& sample) {
  const uint32_t node = NodeOf(sample.stack);
  const std::string* const module =
      sample.module == 0 ? nullptr : stream_->StringOf(sample.module);
  return module == nullptr ? node
                           : tree_->InternNative(node, *module, sample.address);
}

// A node's id is above those of its callers: what says otherwise is damaged.
uint32_t FileStacks::NodeOf(uint32_t string_id) {
  if (string_id == 0) return 0;
  std::vector<std::pair<uint32_t, Entry>> left;
  uint32_t node = 0;
  for (uint32_t id = string_id; id != 0;) {
    const auto found = known_.find(id);
    if (found != known_.end()) {
      node = found->second;
      break;
    }
    const std::optional<Entry> entry = Read(id);
    if (!entry || entry->parent >= id || left.size() >= kMaxDepth) return 0;
    left.emplace_back(id, *entry);
    id = entry->parent;
  }
  for (; !left.empty(); left.pop_back()) {
    const auto& [id, entry] = left.back();
    const std::string* const text = stream_->StringOf(entry.frame);
    if (text == nullptr) return 0;
    const size_t split = text->find('\n');
    if (split == std::string::npos) return 0;
    const std::string_view name(*text);
    node = tree_->Intern(node, name.substr(0, split), name.substr(split + 1),
                         entry.line, entry.column);
    known_.emplace(id, node);
  }
  return node;
}

}  // namespace edgewise
