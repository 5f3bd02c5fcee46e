#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdint>

namespace edgewise {

// Locks on single bytes of a file, which need not be that long. They belong to
// the open file, not to the process: several threads of one process are several
// holders, and who shares a descriptor shares its locks.

inline struct flock OneByte(off_t byte, int16_t type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

// False, with errno: EAGAIN or EACCES if another open file holds it.
inline bool TryLockByte(int fd, off_t byte) {
  struct flock lock = OneByte(byte, F_WRLCK);
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

inline bool LockByte(int fd, off_t byte) {
  struct flock lock = OneByte(byte, F_WRLCK);
  int result;
  do {
    result = fcntl(fd, F_OFD_SETLKW, &lock);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

inline void UnlockByte(int fd, off_t byte) {
  struct flock lock = OneByte(byte, F_UNLCK);
  fcntl(fd, F_OFD_SETLK, &lock);
}

// No other open file holds it.
inline bool IsByteFree(int fd, off_t byte) {
  struct flock lock = OneByte(byte, F_WRLCK);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

}  // namespace edgewise
