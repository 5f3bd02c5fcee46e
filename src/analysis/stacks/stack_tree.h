#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/stacks/elf_symbols.h"
#include "analysis/stream/event_stream.h"

namespace edgewise {

// The JavaScript stacks of all files of one analysis, as a tree: a node is a
// frame and what has called it. Node 0 stands for what could not be told.
class StackTree {
 public:
  // A place in a function. Texts are numbers of Text(); lines and columns count
  // from 1, 0: unknown.
  struct Frame {
    uint32_t function;  // its name, perhaps empty
    uint32_t script;    // its name or URL, perhaps empty
    uint32_t line;
    uint32_t column;
    bool operator==(const Frame&) const = default;
  };
  struct Node {
    uint32_t parent;  // 0: the outermost frame
    Frame frame;
  };

  // Beyond so many nodes further ones are told as their callers.
  static constexpr size_t kMaxNodes = size_t{1} << 20;
  // What begins the name of a script that is a program or a library.
  static constexpr std::string_view kNative = "native:";

  StackTree();

  uint32_t Intern(uint32_t parent, std::string_view function,
                  std::string_view script, uint32_t line, uint32_t column);
  const Node& At(uint32_t node) const { return nodes_[node]; }
  const std::string& Text(uint32_t text) const { return texts_[text]; }

  // The node of what was called natively: `module` is "PATH\nBUILD".
  uint32_t InternNative(uint32_t caller, const std::string& module,
                        uint64_t address);
  size_t size() const { return nodes_.size(); }

 private:
  struct Key {
    uint32_t parent;
    Frame frame;
    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      const Frame& frame = key.frame;
      return H::combine(std::move(h), key.parent, frame.function, frame.script,
                        frame.line, frame.column);
    }
  };

  uint32_t InternText(std::string_view text);

  std::vector<Node> nodes_;
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, uint32_t> text_numbers_;
  absl::flat_hash_map<Key, uint32_t> numbers_;
  // By module; null: its file does not say.
  absl::flat_hash_map<std::string, std::unique_ptr<ElfSymbols>> symbols_;
};

// The stacks of one file: what its string table calls them, in the tree.
class FileStacks {
 public:
  // Both outlive it.
  FileStacks(const EventStream* stream, StackTree* tree)
      : stream_(stream), tree_(tree) {}

  // The node of a sample's stack, and of the native function in it; 0: unknown.
  uint32_t NodeOf(const StackSample& sample);

 private:
  uint32_t NodeOf(uint32_t string_id);
  // One string of the table: see recorder/stacks/stack_table.h.
  struct Entry {
    uint32_t parent;
    uint32_t frame;
    uint32_t line;
    uint32_t column;
  };
  std::optional<Entry> Read(uint32_t string_id) const;

  const EventStream* const stream_;
  StackTree* const tree_;
  absl::flat_hash_map<uint32_t, uint32_t> known_;
};

}  // namespace edgewise
