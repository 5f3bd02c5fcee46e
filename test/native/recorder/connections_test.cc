#include "recorder/connections.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace edgewise {
namespace {

template <typename Address>
std::string TextOf(const Address& address, unsigned length = sizeof(Address)) {
  return PeerText(reinterpret_cast<const sockaddr*>(&address), length);
}

sockaddr_un UnixAddress(std::string_view path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

TEST(ConnectionsTest, ANumberIsOneConnectionAtATime) {
  Connections connections;
  EXPECT_EQ(connections.Of(7), nullptr);
  const Connection* const first = connections.Begin(7, ConnectionRole::kOpened);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->number, 1u);
  EXPECT_TRUE(first->connecting);
  EXPECT_EQ(connections.Of(7), first);
  const Connection* const second =
      connections.Begin(7, ConnectionRole::kAccepted);
  EXPECT_EQ(second->number, 2u);
  EXPECT_FALSE(second->connecting);
  connections.End(7);
  connections.End(7);
  EXPECT_EQ(connections.Of(7), nullptr);
}

TEST(ConnectionsTest, NumbersOutOfRangeAreNotFollowed) {
  Connections connections;
  EXPECT_EQ(connections.Begin(-1, ConnectionRole::kOpened), nullptr);
  EXPECT_EQ(connections.Begin(Connections::kMaxFds, ConnectionRole::kOpened),
            nullptr);
  EXPECT_EQ(connections.Of(-1), nullptr);
  EXPECT_EQ(connections.Of(Connections::kMaxFds), nullptr);
  EXPECT_NE(
      connections.Begin(Connections::kMaxFds - 1, ConnectionRole::kOpened),
      nullptr);
}

TEST(ConnectionsTest, ClearForgetsThemAndGoesOnCounting) {
  Connections connections;
  connections.Begin(3, ConnectionRole::kOpened);
  connections.Clear();
  EXPECT_EQ(connections.Of(3), nullptr);
  EXPECT_EQ(connections.Begin(3, ConnectionRole::kOpened)->number, 2u);
}

TEST(PeerTextTest, NamesWhatIsThere) {
  sockaddr_in ip4{};
  ip4.sin_family = AF_INET;
  ip4.sin_port = htons(6379);
  inet_pton(AF_INET, "10.0.0.7", &ip4.sin_addr);
  EXPECT_EQ(TextOf(ip4), "10.0.0.7:6379");
  sockaddr_in6 ip6{};
  ip6.sin6_family = AF_INET6;
  ip6.sin6_port = htons(80);
  ip6.sin6_addr = in6addr_loopback;
  EXPECT_EQ(TextOf(ip6), "[::1]:80");
  EXPECT_EQ(TextOf(UnixAddress("/run/db.sock")), "/run/db.sock");
  constexpr unsigned kAbstract = offsetof(sockaddr_un, sun_path) + 5;
  EXPECT_EQ(TextOf(UnixAddress(std::string_view("\0bus1", 5)), kAbstract),
            "@bus1");
}

TEST(PeerTextTest, WhatHasNoNameHasNone) {
  EXPECT_EQ(PeerText(nullptr, 16), "");
  EXPECT_EQ(TextOf(UnixAddress(""), sizeof(sa_family_t)), "");
  sockaddr_in ip4{};
  ip4.sin_family = AF_INET;
  EXPECT_EQ(TextOf(ip4, 4), "") << "cut short";
  EXPECT_EQ(TextOf(ip4, 1), "") << "cut shorter";
  ip4.sin_family = AF_APPLETALK;
  EXPECT_EQ(TextOf(ip4), "");
}

}  // namespace
}  // namespace edgewise
