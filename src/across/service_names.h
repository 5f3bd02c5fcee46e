#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace edgewise {

// The services of all recordings, and their routes, by number. Beyond kMost of
// either the rest shares the last one.
class ServiceNames {
 public:
  static constexpr uint32_t kNoRoute = 0;
  static constexpr size_t kMostServices = 1000;
  static constexpr size_t kMostRoutes = 20000;

  ServiceNames() : routes_{{0, ""}} {}

  uint16_t Service(const std::string& name) {
    const auto [found, added] = service_numbers_.try_emplace(
        services_.size() < kMostServices ? name : kOthers,
        static_cast<uint16_t>(services_.size()));
    if (added) services_.push_back(found->first);
    return found->second;
  }
  uint32_t Route(uint16_t service, const std::string& name) {
    const auto [found, added] = route_numbers_.try_emplace(
        {service, routes_.size() < kMostRoutes ? name : kOthers},
        static_cast<uint32_t>(routes_.size()));
    if (added) routes_.emplace_back(service, found->first.second);
    return found->second;
  }

  const std::string& ServiceText(uint16_t service) const {
    return services_[service];
  }
  const std::string& RouteText(uint32_t route) const {
    return routes_[route].second;
  }
  size_t services() const { return services_.size(); }

 private:
  static constexpr char kOthers[] = "(others)";

  std::vector<std::string> services_;
  std::map<std::string, uint16_t> service_numbers_;
  std::vector<std::pair<uint16_t, std::string>> routes_;
  std::map<std::pair<uint16_t, std::string>, uint32_t> route_numbers_;
};

}  // namespace edgewise
