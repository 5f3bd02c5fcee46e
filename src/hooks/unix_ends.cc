#include "hooks/unix_ends.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "platform/sandbox.h"

namespace edgewise {
namespace {

// Sockets have numbers of 32 bits.
std::optional<uint32_t> InodeOf(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode)) return {};
  return static_cast<uint32_t>(status.st_ino);
}

int OpenDiag() {
  return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

}  // namespace

UnixEnds::~UnixEnds() {
  if (diag_ >= 0) close(diag_);
}

std::optional<SocketAddress> UnixEnds::Of(int fd, bool opened) {
  std::optional<uint32_t> inode = InodeOf(fd);
  if (inode.has_value() && !opened) inode = PeerOf(*inode);
  if (!inode.has_value()) return {};
  return SocketAddress::OfUnix(*inode);
}

bool UnixEnds::Open() {
  if (diag_ == kNotYet) {
    const bool may = OutlivesCall([] { close(OpenDiag()); });
    const int fd = may ? OpenDiag() : kNotYet;
    diag_ = fd >= 0 ? fd : kRefused;
  }
  return diag_ >= 0;
}

std::optional<uint32_t> UnixEnds::PeerOf(uint32_t inode) {
  if (!Open()) return {};
  struct {
    nlmsghdr head;
    unix_diag_req body;
  } request{};
  request.head.nlmsg_len = sizeof(request);
  request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.head.nlmsg_flags = NLM_F_REQUEST;
  request.head.nlmsg_seq = ++asked_;
  request.body.sdiag_family = AF_UNIX;
  request.body.udiag_states = ~uint32_t{0};
  request.body.udiag_ino = inode;
  request.body.udiag_show = UDIAG_SHOW_PEER;
  request.body.udiag_cookie[0] = ~uint32_t{0};
  request.body.udiag_cookie[1] = ~uint32_t{0};
  if (send(diag_, &request, sizeof(request), 0) != sizeof(request)) return {};
  // The kernel has answered by then.
  alignas(nlmsghdr) std::array<char, 512> answer;
  const ssize_t bytes = recv(diag_, answer.data(), answer.size(), MSG_DONTWAIT);
  if (bytes <= 0) return {};
  auto left = static_cast<unsigned>(bytes);
  const auto* const head = reinterpret_cast<const nlmsghdr*>(answer.data());
  if (!NLMSG_OK(head, left) || head->nlmsg_seq != asked_ ||
      head->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      head->nlmsg_len < NLMSG_LENGTH(sizeof(unix_diag_msg))) {
    return {};
  }
  const auto* const found =
      reinterpret_cast<const unix_diag_msg*>(NLMSG_DATA(head));
  if (found->udiag_ino != inode) return {};
  auto size = static_cast<unsigned>(head->nlmsg_len -
                                    NLMSG_LENGTH(sizeof(unix_diag_msg)));
  for (const auto* each = reinterpret_cast<const rtattr*>(found + 1);
       RTA_OK(each, size); each = RTA_NEXT(each, size)) {
    if (each->rta_type != UNIX_DIAG_PEER) continue;
    uint32_t peer = 0;
    if (RTA_PAYLOAD(each) < sizeof(peer)) return {};
    std::memcpy(&peer, RTA_DATA(each), sizeof(peer));
    // Who has closed its end has none any more.
    if (peer != 0) return peer;
  }
  return {};
}

}  // namespace edgewise
