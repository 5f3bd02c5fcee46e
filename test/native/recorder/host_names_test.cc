#include "recorder/host_names.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

namespace edgewise {
namespace {

sockaddr_in Ip4(const char* text, uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, text, &address.sin_addr);
  return address;
}

class HostNamesTest : public ::testing::Test {
 protected:
  void Note(const char* address, std::string_view host) {
    const sockaddr_in ip4 = Ip4(address, 0);
    names_.Note(reinterpret_cast<const sockaddr*>(&ip4), sizeof(ip4), host);
  }
  std::string Of(const char* address) {
    const sockaddr_in ip4 = Ip4(address, 6379);
    return std::string(
        names_.Of(reinterpret_cast<const sockaddr*>(&ip4), sizeof(ip4)));
  }
  HostNames names_;
};

TEST_F(HostNamesTest, TheNameThatWasResolvedLast) {
  EXPECT_EQ(Of("10.0.0.7"), "");
  Note("10.0.0.7", "Cache.internal");
  EXPECT_EQ(Of("10.0.0.7"), "cache.internal");
  EXPECT_EQ(Of("10.0.0.8"), "");
  Note("10.0.0.7", "other.internal");
  EXPECT_EQ(Of("10.0.0.7"), "other.internal");
}

TEST_F(HostNamesTest, WhatIsNoNameOfAHostIsNotTold) {
  Note("10.0.0.7", "user:pw@host");
  EXPECT_EQ(Of("10.0.0.7"), "");
  Note("10.0.0.7", std::string(200, 'a'));
  EXPECT_EQ(Of("10.0.0.7"), "");
  Note("10.0.0.7", "");
  EXPECT_EQ(Of("10.0.0.7"), "");
}

TEST_F(HostNamesTest, Version6AndWhatHasNoAddress) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  inet_pton(AF_INET6, "::1", &address.sin6_addr);
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  names_.Note(any, sizeof(address), "localhost");
  EXPECT_EQ(names_.Of(any, sizeof(address)), "localhost");
  EXPECT_EQ(names_.Of(any, 3), "");
  EXPECT_EQ(names_.Of(nullptr, 0), "");
}

TEST(NamedPeerTest, TheAddressStandsBehindItsName) {
  EXPECT_EQ(NamedPeer("cache.internal", "10.0.0.7:6379"),
            "cache.internal (10.0.0.7:6379)");
  EXPECT_EQ(NamedPeer("", "10.0.0.7:6379"), "10.0.0.7:6379");
  EXPECT_EQ(NamedPeer("a", ""), "");
}

}  // namespace
}  // namespace edgewise
