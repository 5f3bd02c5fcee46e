#include "platform/own_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace edgewise {
namespace {

TEST(OwnMemoryTest, ReadsWhatIsThereAndSaysWhatIsNot) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const bytes = static_cast<char*>(pages);
  std::memset(bytes, 'x', page);
  munmap(bytes + page, page);
  std::vector<char> copy(page);
  EXPECT_TRUE(ReadOwnMemory(bytes, copy.data(), page));
  EXPECT_EQ(std::memcmp(bytes, copy.data(), page), 0);
  EXPECT_FALSE(ReadOwnMemory(bytes + page - 4, copy.data(), 8));
  EXPECT_FALSE(ReadOwnMemory(nullptr, copy.data(), 8));
  EXPECT_NE(OwnMemoryWay(), nullptr);
  munmap(bytes, page);
}

}  // namespace
}  // namespace edgewise
