#pragma once

#include <cstddef>
#include <string_view>

namespace edgewise {

// Of the longest known command with its subcommand.
constexpr size_t kRedisNameBytes = 40;

// `name` in upper case; a container's subcommand after a blank.
bool IsRedisCommand(std::string_view name);

// CLUSTER, CONFIG, ...: the command is told by two words.
bool HasRedisSubcommands(std::string_view name);

}  // namespace edgewise
