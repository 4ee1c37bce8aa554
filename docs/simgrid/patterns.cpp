// The patterns of cmd/dev/flow-patterns as a SimGrid program:
//   patterns PATTERN RANKS Y PLATFORM.xml [--cfg=...]
// Y is the middle dimension of the 8 x Y x 8 ranks of a stencil. It prints
// messages, seconds that the simulation took, and simulated us.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

constexpr double kBytes = 64 << 10;
static std::vector<sg4::Host*> hosts;
static int middle;

// pencil sends to rank+1, rank+2, ..., one at a time.
static void pencil(int me) {
  int n = hosts.size();
  for (int t = 1; t <= 64; t++)
    sg4::Comm::sendto(hosts[me], hosts[(me + t) % n], kBytes);
}

// spread sends the same, one every so many seconds, sent or not.
static void spread(int me, double pause) {
  int n = hosts.size();
  std::vector<sg4::CommPtr> all;
  for (int t = 1; t <= 64; t++) {
    all.push_back(sg4::Comm::sendto_async(hosts[me], hosts[(me + t) % n], kBytes));
    if (pause > 0)
      sg4::this_actor::sleep_for(pause);
  }
  sg4::Comm::wait_all(all);
}

static void paced(int me) { spread(me, 5e-6); }
static void bulk(int me) { spread(me, 0); }

static int neighbour(int me, int side) {
  int size[3] = {8, middle, 8}, at[3] = {me % 8, me / 8 % middle, me / 8 / middle};
  int d = side / 2;
  at[d] = (at[d] + size[d] + 1 - 2 * (side % 2)) % size[d];
  return at[0] + 8 * (at[1] + middle * at[2]);
}

// stencil exchanges with six neighbours, 100 times.
static void stencil(int me) {
  auto box = [](int from, int side) { return sg4::Mailbox::by_name(std::to_string(from) + " " + std::to_string(side)); };
  static int nothing;
  std::vector<int*> came(6);
  for (int i = 0; i < 100; i++) {
    std::vector<sg4::CommPtr> all;
    for (int side = 0; side < 6; side++)
      all.push_back(box(neighbour(me, side), side ^ 1)->get_async<int>(&came[side]));
    for (int side = 0; side < 6; side++)
      all.push_back(box(me, side)->put_async(&nothing, kBytes));
    sg4::Comm::wait_all(all);
  }
}

int main(int argc, char** argv) {
  sg4::Engine e(&argc, argv);
  if (argc != 5) {
    std::fprintf(stderr, "usage: patterns pencil64|paced64|bulk64|stencil RANKS Y PLATFORM.xml\n");
    return 2;
  }
  std::string pattern = argv[1];
  int ranks = std::atoi(argv[2]);
  middle = std::atoi(argv[3]);
  e.load_platform(argv[4]);
  for (int i = 0; i < ranks; i++)
    hosts.push_back(e.host_by_name("n" + std::to_string(i)));
  auto body = pattern == "stencil" ? stencil : pattern == "bulk64" ? bulk : pattern == "paced64" ? paced : pencil;
  for (int i = 0; i < ranks; i++)
    sg4::Actor::create("r" + std::to_string(i), hosts[i], body, i);
  auto begin = std::chrono::steady_clock::now();
  e.run();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%d %.4f %.3f\n", ranks * (pattern == "stencil" ? 600 : 64), seconds, sg4::Engine::get_clock() * 1e6);
}
