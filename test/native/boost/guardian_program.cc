// The guardian as a program, as edgewise-boostd --guard is.

#include <string_view>

#include "boost/guardian.h"

int main(int count, char** arguments) {
  if (count != 2 || std::string_view(arguments[1]) != "--guard") return 2;
  return edgewise::RunGuardian(edgewise::kGuardianFd);
}
