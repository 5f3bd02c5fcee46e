#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace edgewise {

// A value that one writer at a time replaces and others read without ever
// waiting for it, across processes too (a sequence lock). Zeroed memory holds
// a zeroed value.
template <typename T>
class Published {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::atomic<uint64_t>::is_always_lock_free);

 public:
  // The next Read() tells by this whether there is anything new.
  // Relaxed: Read() itself orders what it reads.
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }

  // Mends also what a writer left that died half-way.
  void Write(const T& value) {
    std::array<uint64_t, kWords> words{};
    std::memcpy(words.data(), &value, sizeof(value));
    const uint32_t odd = version() | 1;
    version_.store(odd, std::memory_order_relaxed);
    // Release: who sees a new word also sees that a write was under way.
    for (size_t i = 0; i < kWords; ++i) {
      words_[i].store(words[i], std::memory_order_release);
    }
    // Release: who sees the even version sees all words.
    version_.store(odd + 1, std::memory_order_release);
  }

  // False, and the value untouched, while it is being written.
  bool Read(T* value) const {
    const uint32_t before = version_.load(std::memory_order_acquire);
    if (before % 2 != 0) return false;
    std::array<uint64_t, kWords> words;
    // Acquire: the second look at the version comes after all words.
    for (size_t i = 0; i < kWords; ++i) {
      words[i] = words_[i].load(std::memory_order_acquire);
    }
    if (version() != before) return false;
    std::memcpy(static_cast<void*>(value), words.data(), sizeof(*value));
    return true;
  }

 private:
  static constexpr size_t kWords = (sizeof(T) + 7) / 8;

  std::atomic<uint32_t> version_;
  std::array<std::atomic<uint64_t>, kWords> words_;
};

}  // namespace edgewise
