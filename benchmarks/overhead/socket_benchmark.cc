// What the system calls of a request cost on a connection of the loopback
// interface: as Node makes them, and as they are made for it while it is
// observed (hooks/direct_io, hooks/arrival). The call alone is timed; `median`
// is what to compare, since a call that the processor was taken from counts in
// the mean.

#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "hooks/arrival.h"
#include "hooks/direct_io.h"
#include "platform/clock.h"

namespace edgewise {
namespace {

constexpr size_t kRequestBytes = 100;
constexpr size_t kHeadBytes = 150;
constexpr size_t kBodyBytes = 30;
constexpr int64_t kCalls = 100'000;

// A connection of this process to itself.
class Connection {
 public:
  Connection() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    client_ = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    if (bind(listener, generic, length) == 0 && listen(listener, 1) == 0 &&
        getsockname(listener, generic, &length) == 0 &&
        connect(client_, generic, length) == 0) {
      server_ = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
      setsockopt(server_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    close(listener);
  }
  ~Connection() {
    close(client_);
    close(server_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int server() const { return server_; }
  bool Ask() { return write(client_, data_.data(), kRequestBytes) > 0; }
  bool Hear() { return read(client_, data_.data(), data_.size()) > 0; }
  std::array<char, 65536>& data() { return data_; }

 private:
  int client_ = -1;
  int server_ = -1;
  std::array<char, 65536> data_{};
};

// Requests and their responses, which `receive` reads and `respond` writes, as
// the server; each returns the bytes. One of the two is timed.
template <typename Receive, typename Respond>
void Exchange(benchmark::State& state, Connection& connection, bool time_read,
              Receive receive, Respond respond) {
  std::vector<double> times_ns;
  times_ns.reserve(kCalls);
  for (auto _ : state) {
    bool ok = connection.Ask();
    const uint64_t begin = Ticks();
    ok = receive(connection) == static_cast<ssize_t>(kRequestBytes) && ok;
    const uint64_t received = Ticks();
    ok = respond(connection) == static_cast<ssize_t>(kHeadBytes + kBodyBytes) &&
         ok;
    const uint64_t end = Ticks();
    ok = connection.Hear() && ok;
    if (!ok) return state.SkipWithError("the connection does not work");
    const uint64_t ticks = time_read ? received - begin : end - received;
    times_ns.push_back(static_cast<double>(TickNs(ticks)));
    state.SetIterationTime(times_ns.back() / 1e9);
  }
  const auto middle =
      times_ns.begin() + static_cast<ptrdiff_t>(times_ns.size() / 2);
  std::nth_element(times_ns.begin(), middle, times_ns.end());
  state.counters["median_ns"] = *middle;
}

ssize_t PlainRead(Connection& connection) {
  return read(connection.server(), connection.data().data(),
              connection.data().size());
}

ssize_t PlainWrite(Connection& connection) {
  return write(connection.server(), connection.data().data(),
               kHeadBytes + kBodyBytes);
}

template <typename Receive>
void TimeRead(benchmark::State& state, Receive receive, bool stamped = false) {
  Connection connection;
  NoteStreamSocket(connection.server());
  if (stamped && StampArrivals(connection.server()) == Stamping::kUnavailable) {
    return state.SkipWithError("this kernel stamps no arrivals");
  }
  Exchange(state, connection, /*time_read=*/true, receive, PlainWrite);
}

template <typename Respond>
void TimeWrite(benchmark::State& state, Respond respond) {
  Connection connection;
  NoteStreamSocket(connection.server());
  Exchange(state, connection, /*time_read=*/false, PlainRead, respond);
}

std::array<iovec, 2> HeadAndBody(Connection& connection) {
  return {{{connection.data().data(), kHeadBytes},
           {connection.data().data(), kBodyBytes}}};
}

void BM_Read(benchmark::State& state) { TimeRead(state, PlainRead); }

void BM_DirectRead(benchmark::State& state) {
  TimeRead(state, [](Connection& connection) {
    return DirectRead(connection.server(), connection.data().data(),
                      connection.data().size());
  });
}

void BM_ReadStamped(benchmark::State& state) {
  const auto read_stamped = [](Connection& connection) {
    int64_t arrival_ns = 0;
    return ReadStamped(connection.server(), connection.data().data(),
                       connection.data().size(), &arrival_ns);
  };
  TimeRead(state, read_stamped, /*stamped=*/true);
}

void BM_Write(benchmark::State& state) { TimeWrite(state, PlainWrite); }

void BM_DirectWrite(benchmark::State& state) {
  TimeWrite(state, [](Connection& connection) {
    return DirectWrite(connection.server(), connection.data().data(),
                       kHeadBytes + kBodyBytes);
  });
}

void BM_WriteV(benchmark::State& state) {
  TimeWrite(state, [](Connection& connection) {
    const std::array<iovec, 2> parts = HeadAndBody(connection);
    return writev(connection.server(), parts.data(), 2);
  });
}

void BM_DirectWriteV(benchmark::State& state) {
  TimeWrite(state, [](Connection& connection) {
    const std::array<iovec, 2> parts = HeadAndBody(connection);
    return DirectWriteV(connection.server(), parts.data(), 2);
  });
}

BENCHMARK(BM_Read)->UseManualTime()->Iterations(kCalls);
BENCHMARK(BM_DirectRead)->UseManualTime()->Iterations(kCalls);
BENCHMARK(BM_ReadStamped)->UseManualTime()->Iterations(kCalls);
BENCHMARK(BM_Write)->UseManualTime()->Iterations(kCalls);
BENCHMARK(BM_DirectWrite)->UseManualTime()->Iterations(kCalls);
BENCHMARK(BM_WriteV)->UseManualTime()->Iterations(kCalls);
BENCHMARK(BM_DirectWriteV)->UseManualTime()->Iterations(kCalls);

}  // namespace
}  // namespace edgewise

BENCHMARK_MAIN();
