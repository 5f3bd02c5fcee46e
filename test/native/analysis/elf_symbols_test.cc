#include "analysis/stacks/elf_symbols.h"

#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace edgewise {
namespace {

// As this program's own file has it.
uint64_t AddressOf(const void* code) {
  uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        *static_cast<uintptr_t*>(found) = info->dlpi_addr;
        return 1;  // The program is the first.
      },
      &base);
  return reinterpret_cast<uintptr_t>(code) - base;
}

[[gnu::noinline]] int KnownFunction(int x) { return x * 3 + 1; }

const char* const kSelf = "/proc/self/exe";

TEST(ElfSymbolsTest, NamesTheFunctionThatHasAnAddress) {
  const auto symbols = ElfSymbols::Read(kSelf, ElfSymbols::BuildOf(kSelf));
  ASSERT_NE(symbols, nullptr);
  const uint64_t begin =
      AddressOf(reinterpret_cast<const void*>(&KnownFunction));
  EXPECT_EQ(symbols->NameOf(begin),
            "edgewise::(anonymous namespace)::KnownFunction");
  EXPECT_EQ(symbols->NameOf(begin + 1), symbols->NameOf(begin));
  EXPECT_EQ(symbols->NameOf(0), "");
  EXPECT_EQ(symbols->NameOf(UINT64_MAX), "");
}

TEST(ElfSymbolsTest, AnotherBuildHasOtherAddresses) {
  EXPECT_NE(ElfSymbols::BuildOf(kSelf), "");
  EXPECT_EQ(ElfSymbols::Read(kSelf, "0123456789abcdef"), nullptr);
  EXPECT_EQ(ElfSymbols::Read(kSelf, ""), nullptr);
}

TEST(ElfSymbolsTest, WhatIsNoSuchFileIsNotRead) {
  for (const char* path :
       {"/nowhere", "/dev/zero", "/", "/proc/self/maps", ""}) {
    EXPECT_EQ(ElfSymbols::BuildOf(path), "") << path;
    EXPECT_EQ(ElfSymbols::Read(path, ""), nullptr) << path;
  }
}

// A file that has bytes of anything in its header and tables, or was cut off.
TEST(ElfSymbolsTest, OutlivesDamagedFiles) {
  namespace fs = std::filesystem;
  const fs::path path =
      fs::temp_directory_path() / ("elf-" + std::to_string(getpid()));
  fs::copy_file(kSelf, path, fs::copy_options::overwrite_existing);
  const auto size = static_cast<size_t>(fs::file_size(path));
  const auto outlives = [&] {
    const auto symbols = ElfSymbols::Read(path, ElfSymbols::BuildOf(path));
    if (symbols == nullptr) return;
    for (uint64_t at = 0; at < size; at += size / 100) symbols->NameOf(at);
  };
  std::mt19937 random(7);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto swap = [&](size_t at, char value) {
    char before = 0;
    file.seekg(static_cast<std::streamoff>(at)).get(before);
    file.seekp(static_cast<std::streamoff>(at)).put(value).flush();
    return before;
  };
  for (int round = 0; round < 60; ++round) {
    // Section headers stand last.
    const size_t at =
        round % 3 == 0 ? 16 + random() % 48 : size - 1 - random() % 2048;
    const char before = swap(at, static_cast<char>(random()));
    outlives();
    swap(at, before);
  }
  for (const size_t left : {size - 1, size / 2, size_t{100}, size_t{10}}) {
    fs::resize_file(path, left);
    outlives();
  }
  fs::remove(path);
}

}  // namespace
}  // namespace edgewise
