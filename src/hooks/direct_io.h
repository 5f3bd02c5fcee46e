#pragma once

#include <sys/types.h>

#include <cstddef>

struct iovec;

namespace edgewise {

// read(2), write(2) and writev(2) by the shortest way to the kernel: without
// glibc's entry into a cancellation point and out of it (Node cancels no
// thread), and for connections by recvfrom, sendto and sendmsg, which spare the
// kernel what is of files only; few bytes in several parts go as one
// (docs/architecture.md). Where a sandbox refuses those, by what the caller
// asked for: see platform/refusal.h.
ssize_t DirectRead(int fd, void* data, size_t size);
ssize_t DirectWrite(int fd, const void* data, size_t size);
ssize_t DirectWriteV(int fd, const iovec* parts, int count);

// `fd` is a stream socket. Any thread, at any time: where the number is another
// file's by then, the first of the calls above finds that out.
void NoteStreamSocket(int fd);

// Finds out what is refused before the first connection does.
void ProbeDirectIo();

}  // namespace edgewise
