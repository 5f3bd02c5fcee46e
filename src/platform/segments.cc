#include "platform/segments.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

namespace edgewise {

bool CameInOneSegment(int fd) {
  tcp_info info;
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  constexpr size_t kEnd =
      offsetof(tcp_info, tcpi_data_segs_in) + sizeof(info.tcpi_data_segs_in);
  constexpr uint8_t kEstablished = 1;
  return length >= kEnd && info.tcpi_data_segs_in == 1 &&  // since Linux 4.6
         info.tcpi_state == kEstablished;
}

}  // namespace edgewise
