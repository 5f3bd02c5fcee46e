#pragma once

#include <filesystem>
#include <string>

namespace edgewise {

// The library of fake_papi.cc, which is built beside the tests.
inline std::string FakePapi() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         "libfake_papi.so";
}

}  // namespace edgewise
