// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_generator.h"

#include "tests/support/job_simulation.h"
#include "tests/support/job_writer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace rankscope::test {
namespace {

struct NamedPattern {
  const char* name;
  const char* pattern;
};

constexpr std::array<NamedPattern, 12> kPatterns{{
    {"torch", "{host}_{pid}.{ns}.pt.trace.json"},
    {"torch-ms", "{host}_{pid}.{ms}.pt.trace.json"},
    {"worker", "rank{rank}.{ns}.pt.trace.json"},
    {"rank", "rank{rank}.json"},
    {"rank-dash", "rank-{rank}.json"},
    {"torchtitan", "profiling/traces/iteration_{step}/rank{rank}_trace.json"},
    {"verl", "actor/prof_rank-{rank}.json"},
    {"accelerate", "profile_{rank}.json"},
    {"vllm", "dp{rank}_pp0_tp0_dcp0_ep{rank}_rank{rank}.{ns}.pt.trace.json"},
    {"mast", "rank-{rank}.Nov_20_10_52_41.{pid}.pt.trace.json"},
    {"dynolog", "libkineto_trace_{host}_{pid}.json"},
    {"node-folders", "{host}/rank{rank}.{ns}.pt.trace.json"},
}};

/// When each collective ran: by profiled step, bucket and rank, in the job's true clock.
class CollectiveTable {
 public:
  CollectiveTable(int steps, std::size_t buckets, int ranks)
      : m_buckets(buckets), m_ranks(static_cast<std::size_t>(ranks)),
        m_spans(static_cast<std::size_t>(steps) * buckets * m_ranks) {}

  [[nodiscard]] Span& at(int g, std::size_t bucket, int rank) {
    return m_spans[(static_cast<std::size_t>(g) * m_buckets + bucket) * m_ranks +
                   static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::vector<Span> of(int g, int rank) {
    std::vector<Span> spans(m_buckets);
    for (std::size_t b = 0; b < m_buckets; ++b) spans[b] = at(g, b, rank);
    return spans;
  }

 private:
  std::size_t m_buckets, m_ranks;
  std::vector<Span> m_spans;
};

/// Runs body(0) … body(count - 1) on `threads` threads and rethrows the first error.
template <class Body> void onThreads(int threads, int count, Body body) {
  std::atomic<int> next{0};
  std::exception_ptr error;
  std::mutex guard;
  const auto work = [&] {
    for (int i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(guard);
        if (!error) error = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> pool;
  for (int t = 1; t < std::min(threads, count); ++t) pool.emplace_back(work);
  work();
  pool.clear();
  if (error) std::rethrow_exception(error);
}

std::int64_t objectsPerStep(const JobOptions& options, int layers) {
  JobOptions one = options;
  one.layers = layers;
  one.buckets = std::min(options.buckets, layers);
  const JobPlan plan = makePlan(one);
  RankSimulation simulation(plan, 0, true);
  simulation.beginCapture(0);
  simulation.runToCollectives(0);
  std::vector<Span> spans;
  for (const std::int64_t t : simulation.ready()) spans.push_back({t, t + 1000});
  simulation.finishStep(spans);
  return JobWriter::countObjects(one, simulation.events());
}

/// As many layers as the target needs, up to steps of about 150,000 events; then more steps.
void fitToTarget(JobOptions& options) {
  if (options.targetEvents <= 0) return;
  const std::int64_t few = objectsPerStep(options, 8), many = objectsPerStep(options, 16);
  const std::int64_t each = std::max<std::int64_t>((many - few) / 8, 1), fixed = few - 8 * each;
  const std::int64_t files = std::int64_t{options.ranks} * options.captures;
  const std::int64_t perStep = options.targetEvents / files / options.steps;
  options.layers = static_cast<int>(std::clamp<std::int64_t>((perStep - fixed) / each, 1, 1024));
  const std::int64_t reached = fixed + each * options.layers;
  options.steps =
      static_cast<int>(std::max<std::int64_t>(options.steps, options.targetEvents / files / reached));
}

CollectiveTable collectiveTimes(const JobPlan& plan, int threads) {
  const int ranks = plan.options.ranks;
  CollectiveTable table(plan.profiledSteps(), plan.buckets.size(), ranks);
  if (plan.buckets.empty()) return table;
  std::vector<RankSimulation> simulations;
  for (int r = 0; r < ranks; ++r) simulations.emplace_back(plan, r, false);
  const auto each = [&](auto body) {
    onThreads(threads, ranks, [&](int r) { body(r, simulations[static_cast<std::size_t>(r)]); });
  };
  for (int g = 0; g < plan.profiledSteps(); ++g) {
    each([&](int, RankSimulation& simulation) {
      if (g % plan.options.steps == 0) simulation.beginCapture(g / plan.options.steps);
      simulation.runToCollectives(g);
    });
    for (std::size_t b = 0; b < plan.buckets.size(); ++b) {
      std::int64_t last = 0;
      for (int r = 0; r < ranks; ++r) {
        Span& span = table.at(g, b, r);
        span.begin = simulations[static_cast<std::size_t>(r)].ready()[b];
        if (b > 0) span.begin = std::max(span.begin, table.at(g, b - 1, r).end);
        last = std::max(last, span.begin);
      }
      const std::int64_t end = last + plan.transfer(g, static_cast<int>(b));
      for (int r = 0; r < ranks; ++r) table.at(g, b, r).end = end;
    }
    each([&](int r, RankSimulation& simulation) { simulation.finishStep(table.of(g, r)); });
  }
  return table;
}

std::string fileName(const JobPlan& plan, int rank, int capture, std::int64_t captureBegin) {
  const JobOptions& o = plan.options;
  const int node = rank / o.ranksPerNode, local = rank % o.ranksPerNode;
  const std::int64_t ns = kOriginNs + captureBegin + 90'000'000'000 + rank * 1'000'003;
  std::string padded = std::to_string(rank);
  padded.insert(0, padded.size() < 6 ? 6 - padded.size() : 0, '0');
  const std::array<std::pair<const char*, std::string>, 10> values{{
      {"{rank}", std::to_string(rank)},
      {"{rank06}", padded},
      {"{localrank}", std::to_string(local)},
      {"{node}", std::to_string(node)},
      {"{host}", "node" + std::to_string(node)},
      {"{pid}", std::to_string(20'000 + 1'370 * local + 7 * node)},
      {"{ns}", std::to_string(ns)},
      {"{ms}", std::to_string(ns / 1'000'000)},
      {"{capture}", std::to_string(capture)},
      {"{step}", std::to_string(plan.stepNumber((capture + 1) * o.steps - 1) + 1)},
  }};
  std::string name = namePatternOf(o.namePattern);
  for (const auto& [mark, text] : values) {
    for (std::size_t at = name.find(mark); at != std::string::npos; at = name.find(mark))
      name.replace(at, std::string(mark).size(), text);
  }
  return o.gzip ? name + ".gz" : name;
}

std::vector<FileTruth> writeRank(const JobPlan& plan, int rank, CollectiveTable& table,
                                 const std::filesystem::path& folder, std::set<std::string>& taken,
                                 std::mutex& guard) {
  std::vector<FileTruth> files;
  RankSimulation simulation(plan, rank, true);
  for (int capture = 0; capture < plan.options.captures; ++capture) {
    simulation.beginCapture(capture);
    const std::string name = fileName(plan, rank, capture, simulation.captureBegin());
    {
      const std::lock_guard lock(guard);
      if (!taken.insert(name).second) throw std::invalid_argument("two files would be named " + name);
    }
    std::filesystem::create_directories((folder / name).parent_path());
    JobWriter writer(plan, rank, capture, folder, name);
    writer.begin(simulation);
    for (int g = capture * plan.options.steps; g < (capture + 1) * plan.options.steps; ++g) {
      simulation.runToCollectives(g);
      simulation.finishStep(table.of(g, rank));
      writer.step(simulation, g);
    }
    files.push_back(writer.finish(simulation));
    files.back().fileBytes = static_cast<std::int64_t>(std::filesystem::file_size(folder / name));
  }
  return files;
}

std::vector<CollectiveTruth> collectiveTruth(const JobPlan& plan, CollectiveTable& table) {
  std::vector<CollectiveTruth> all;
  for (int g = 0; g < plan.profiledSteps(); ++g) {
    for (std::size_t b = 0; b < plan.buckets.size(); ++b) {
      CollectiveTruth c{g / plan.options.steps,
                        plan.stepNumber(g),
                        static_cast<int>(b),
                        "allreduce",
                        "BFloat16",
                        plan.buckets[b].elements,
                        0,
                        {}};
      const int ranks = plan.options.ranks;
      for (int r = 1; r < ranks; ++r) {
        if (table.at(g, b, r).begin > table.at(g, b, c.lastRank).begin) c.lastRank = r;
      }
      const std::int64_t last = table.at(g, b, c.lastRank).begin;
      for (int r = 0; r < ranks; ++r) {
        const Span span = table.at(g, b, r);
        c.participants.push_back(
            {r, kOriginNs + span.begin, kOriginNs + span.end, last - span.begin, span.end - last});
      }
      all.push_back(std::move(c));
    }
  }
  return all;
}

StragglerTruth stragglerTruth(const JobPlan& plan, const std::vector<CollectiveTruth>& collectives) {
  StragglerTruth truth;
  const Straggler& s = plan.options.straggler;
  truth.rank = s.rank;
  if (s.rank < 0 || plan.buckets.empty()) return truth;
  for (int g = s.fromStep; g < plan.profiledSteps(); ++g) {
    std::vector<std::int64_t> waits(static_cast<std::size_t>(plan.options.ranks), 0);
    for (const CollectiveTruth& c : collectives) {
      if (c.step != plan.stepNumber(g)) continue;
      for (const ParticipantTruth& p : c.participants) waits[static_cast<std::size_t>(p.rank)] += p.waitNs;
    }
    waits.erase(waits.begin() + s.rank);
    std::sort(waits.begin(), waits.end());
    truth.steps.push_back(plan.stepNumber(g));
    truth.costNs.push_back((waits[waits.size() / 2] + waits[(waits.size() - 1) / 2]) / 2);
  }
  return truth;
}

} // namespace

std::string namePatternOf(const std::string& nameOrPattern) {
  for (const NamedPattern& p : kPatterns) {
    if (nameOrPattern == p.name) return p.pattern;
  }
  return nameOrPattern;
}

std::vector<std::string> namePatternNames() {
  std::vector<std::string> names;
  for (const NamedPattern& p : kPatterns) names.emplace_back(p.name);
  return names;
}

std::int64_t JobTruth::events() const {
  std::int64_t sum = 0;
  for (const FileTruth& f : files) sum += f.events;
  return sum;
}

std::int64_t JobTruth::jsonBytes() const {
  std::int64_t sum = 0;
  for (const FileTruth& f : files) sum += f.jsonBytes;
  return sum;
}

JobTruth generateJob(const JobOptions& asked, const std::filesystem::path& folder) {
  JobOptions options = asked;
  fitToTarget(options);
  const JobPlan plan = makePlan(std::move(options));
  const int threads = plan.options.threads > 0
                          ? plan.options.threads
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::filesystem::create_directories(folder);
  CollectiveTable table = collectiveTimes(plan, threads);

  JobTruth truth;
  truth.options = plan.options;
  truth.originNs = kOriginNs;
  const int nodes = (plan.options.ranks + plan.options.ranksPerNode - 1) / plan.options.ranksPerNode;
  truth.clockOffsetNs = plan.options.clockOffsetNs;
  truth.clockDriftPpb = plan.options.clockDriftPpb;
  truth.clockOffsetNs.resize(static_cast<std::size_t>(nodes), 0);
  truth.clockDriftPpb.resize(static_cast<std::size_t>(nodes), 0);

  std::vector<std::vector<FileTruth>> byRank(static_cast<std::size_t>(plan.options.ranks));
  std::set<std::string> taken;
  std::mutex guard;
  onThreads(threads, plan.options.ranks, [&](int r) {
    byRank[static_cast<std::size_t>(r)] = writeRank(plan, r, table, folder, taken, guard);
  });
  for (auto& files : byRank) {
    for (FileTruth& f : files) truth.files.push_back(std::move(f));
  }
  truth.collectives = collectiveTruth(plan, table);
  truth.straggler = stragglerTruth(plan, truth.collectives);
  writeTruth(truth, folder / "ground_truth.json");
  return truth;
}

} // namespace rankscope::test
