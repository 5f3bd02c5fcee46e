#include "trace/socket_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace edgewise {
namespace {

SocketAddress Address(const std::string& text, uint16_t port = 80) {
  SocketAddress address{};
  address.port = port;
  const bool ip6 = text.find(':') != text.npos;
  const std::string whole = ip6 ? text : "::ffff:" + text;
  EXPECT_EQ(inet_pton(AF_INET6, whole.c_str(), address.ip.data()), 1) << text;
  return address;
}

TEST(SocketAddressTest, TellsWhoseNetworkItIs) {
  for (const char* const text : {"127.0.0.1", "127.255.255.254", "::1"}) {
    EXPECT_TRUE(Address(text).IsLoopback()) << text;
    EXPECT_TRUE(Address(text).IsPrivate()) << text;
  }
  for (const char* const text :
       {"10.0.0.1", "10.255.0.1", "172.16.0.1", "172.31.255.1", "192.168.7.1",
        "169.254.1.1", "100.64.0.1", "100.127.0.1", "fd00::1", "fc12::7",
        "fe80::1"}) {
    EXPECT_FALSE(Address(text).IsLoopback()) << text;
    EXPECT_TRUE(Address(text).IsPrivate()) << text;
  }
  for (const char* const text :
       {"8.8.8.8", "11.0.0.1", "172.15.0.1", "172.32.0.1", "192.169.0.1",
        "100.63.0.1", "100.128.0.1", "126.0.0.1", "128.0.0.1", "2001:db8::1",
        "fec0::1", "::2", "::"}) {
    EXPECT_FALSE(Address(text).IsPrivate()) << text;
  }
}

TEST(SocketAddressTest, ARecordHoldsIt) {
  const SocketAddress address = Address("2001:db8:1:2:3:4:5:6", 65535);
  Record record{};
  PutAddress(address, AddressSide::kPeer, 12, &record);
  EXPECT_EQ(record.kind, RecordKind::kAddress);
  EXPECT_EQ(record.type, static_cast<uint8_t>(AddressSide::kPeer));
  EXPECT_EQ(record.aux, 12u);
  EXPECT_EQ(AddressIn(record), address);
}

TEST(SocketAddressTest, AUnixSocketIsOfOneMachine) {
  const SocketAddress one = SocketAddress::OfUnix(0x01020304);
  EXPECT_TRUE(one.IsLoopback());
  EXPECT_TRUE(one.IsPrivate());
  EXPECT_EQ(one, SocketAddress::OfUnix(0x01020304));
  EXPECT_NE(one, SocketAddress::OfUnix(0x01020305));
  EXPECT_FALSE(Address("100:0:0:1::1").IsLoopback());
}

}  // namespace
}  // namespace edgewise
