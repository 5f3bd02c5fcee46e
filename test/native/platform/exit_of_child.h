#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace edgewise {

// Runs `body` in a child process; its exit status, -1 when it did not exit, or
// not within ten seconds.
template <typename Body>
int ExitOfChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace edgewise
