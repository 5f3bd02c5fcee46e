#include "recorder/protocol/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace edgewise {
namespace {

TEST(HashTest, EachByteOfEachLengthMatters) {
  for (size_t bytes = 1; bytes <= 200; ++bytes) {
    const std::string text(bytes, 'a');
    const uint64_t hash = HashBytes(text.data(), bytes, 0);
    EXPECT_NE(hash, HashBytes(text.data(), bytes - 1, 0));
    EXPECT_NE(hash, HashBytes(text.data(), bytes, 1));
    for (size_t i = 0; i < bytes; ++i) {
      std::string other = text;
      other[i] = 'b';
      EXPECT_NE(hash, HashBytes(other.data(), bytes, 0)) << bytes << " " << i;
    }
  }
}

}  // namespace
}  // namespace edgewise
