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

// Times of collectives: by profiled step, collective and rank, on the job's true clock.
class CollectiveTable {
 public:
  CollectiveTable(int steps, std::size_t collectives, int ranks)
      : m_collectives(collectives), m_ranks(static_cast<std::size_t>(ranks)),
        m_spans(static_cast<std::size_t>(steps) * collectives * m_ranks) {}

  // Last end of device work over all ranks, by step.
  std::vector<std::int64_t> stepEnds;

  [[nodiscard]] Span& at(int g, std::size_t collective, int rank) {
    return m_spans[(static_cast<std::size_t>(g) * m_collectives + collective) * m_ranks +
                   static_cast<std::size_t>(rank)];
  }

 private:
  std::size_t m_collectives, m_ranks;
  std::vector<Span> m_spans;
};

// Runs body(0) … body(count - 1) on `threads` threads; rethrows the first exception.
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
  const JobPlan plan = makePlan(one);
  RankSimulation simulation(plan, 0, true);
  simulation.beginCapture(0);
  simulation.beginStep(0);
  simulation.runSegments(0, plan.lastSegment());
  for (std::size_t c = 0; c < plan.collectives.size(); ++c)
    simulation.complete(c, {simulation.ready(c), simulation.ready(c) + 1000});
  return JobWriter::countObjects(one, simulation.events());
}

// Chooses as many layers as the target needs, up to steps of about 150,000 events; then more steps.
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

// Resolves the collectives of a step that end after `segment`. Each begins on a rank when it is ready there
// and its stream is free, and ends on all ranks of its group at the last begin plus the transfer time.
void resolve(const JobPlan& plan, int g, int segment, const std::vector<RankSimulation>& simulations,
             CollectiveTable& table) {
  const int ranks = plan.options.ranks;
  for (std::size_t c = 0; c < plan.collectives.size(); ++c) {
    const CollectivePlan& collective = plan.collectives[c];
    if (collective.resolvedAfter != segment) continue;
    std::size_t before = c;
    while (before > 0 && plan.collectives[before - 1].row != collective.row) --before;
    std::vector<std::int64_t> last(static_cast<std::size_t>(ranks), 0);
    const auto lastOfGroup = [&](int r) -> std::int64_t& {
      return last[static_cast<std::size_t>(plan.members(collective.group, r).first)];
    };
    for (int r = 0; r < ranks; ++r) {
      Span& span = table.at(g, c, r);
      span.begin = simulations[static_cast<std::size_t>(r)].ready(c);
      if (before > 0) span.begin = std::max(span.begin, table.at(g, before - 1, r).end);
      lastOfGroup(r) = std::max(lastOfGroup(r), span.begin);
    }
    for (int r = 0; r < ranks; ++r)
      table.at(g, c, r).end = lastOfGroup(r) + plan.transfer(g, c, plan.members(collective.group, r).first);
  }
}

// Continues a rank from `from`, with the collectives resolved after `segment`; returns the next segment.
int completeAfter(const JobPlan& plan, int g, int segment, int rank, RankSimulation& simulation,
                  CollectiveTable& table) {
  for (std::size_t c = 0; c < plan.collectives.size(); ++c) {
    if (plan.collectives[c].resolvedAfter == segment) simulation.complete(c, table.at(g, c, rank));
  }
  return segment + 1;
}

CollectiveTable collectiveTimes(const JobPlan& plan, int threads) {
  const int ranks = plan.options.ranks;
  CollectiveTable table(plan.profiledSteps(), plan.collectives.size(), ranks);
  if (plan.collectives.empty()) return table;
  std::vector<RankSimulation> simulations;
  simulations.reserve(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) simulations.emplace_back(plan, r, false);
  const auto each = [&](auto body) {
    onThreads(threads, ranks, [&](int r) { body(r, simulations[static_cast<std::size_t>(r)]); });
  };
  for (int g = 0; g < plan.profiledSteps(); ++g) {
    int from = 0;
    for (const int segment : plan.rendezvous) {
      each([&](int r, RankSimulation& simulation) {
        if (from > 0) {
          completeAfter(plan, g, from - 1, r, simulation, table);
        } else {
          if (g % plan.options.steps == 0) simulation.beginCapture(g / plan.options.steps);
          simulation.beginStep(g);
        }
        simulation.runSegments(from, segment);
      });
      resolve(plan, g, segment, simulations, table);
      from = segment + 1;
    }
    each([&](int r, RankSimulation& simulation) {
      completeAfter(plan, g, from - 1, r, simulation, table);
      simulation.runSegments(from, plan.lastSegment());
    });
    table.stepEnds.push_back(0);
    for (const RankSimulation& s : simulations)
      table.stepEnds.back() = std::max(table.stepEnds.back(), s.deviceEnd());
  }
  return table;
}

std::string fileName(const JobPlan& plan, int rank, int capture, std::int64_t captureBegin) {
  const JobOptions& o = plan.options;
  const int node = rank / o.ranksPerNode, local = rank % o.ranksPerNode;
  const std::int64_t ns = kOriginNs + captureBegin + 90'000'000'000 + std::int64_t{rank} * 1'000'003;
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

std::vector<Span> waitsOf(const JobPlan& plan, int g, int rank, CollectiveTable& table) {
  std::vector<Span> waits;
  for (std::size_t c = 0; c < plan.collectives.size(); ++c) {
    const Span span = table.at(g, c, rank);
    const int first = plan.members(plan.collectives[c].group, rank).first;
    waits.push_back({span.begin, span.end - plan.transfer(g, c, first)});
  }
  return waits;
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
      simulation.beginStep(g);
      int from = 0;
      for (const int segment : plan.rendezvous) {
        simulation.runSegments(from, segment);
        from = completeAfter(plan, g, segment, rank, simulation, table);
      }
      simulation.runSegments(from, plan.lastSegment());
      writer.step(simulation, g, waitsOf(plan, g, rank, table));
    }
    files.push_back(writer.finish(simulation));
    files.back().fileBytes = static_cast<std::int64_t>(std::filesystem::file_size(folder / name));
  }
  return files;
}

CollectiveTruth instance(const JobPlan& plan, int g, std::size_t c, int firstRank, CollectiveTable& table) {
  const CollectivePlan& planned = plan.collectives[c];
  const JobPlan::Members members = plan.members(planned.group, firstRank);
  CollectiveTruth truth;
  truth.capture = g / plan.options.steps;
  truth.step = plan.stepNumber(g);
  truth.index = static_cast<int>(c);
  truth.operation = planned.info->name;
  truth.dtype = planned.dtype;
  truth.group = plan.groupDescription(planned.group);
  truth.inElements = planned.inElements;
  truth.outElements = planned.outElements;
  truth.lastRank = members.first;
  const auto rankOf = [&](int i) { return members.first + i * members.stride; };
  for (int i = 1; i < members.size; ++i) {
    if (table.at(g, c, rankOf(i)).begin > table.at(g, c, truth.lastRank).begin) truth.lastRank = rankOf(i);
  }
  const std::int64_t last = table.at(g, c, truth.lastRank).begin;
  for (int i = 0; i < members.size; ++i) {
    const Span span = table.at(g, c, rankOf(i));
    truth.participants.push_back(
        {rankOf(i), kOriginNs + span.begin, kOriginNs + span.end, last - span.begin, span.end - last});
  }
  return truth;
}

std::vector<CollectiveTruth> collectiveTruth(const JobPlan& plan, CollectiveTable& table) {
  std::vector<CollectiveTruth> all;
  for (int g = 0; g < plan.profiledSteps(); ++g) {
    for (std::size_t c = 0; c < plan.collectives.size(); ++c) {
      for (int r = 0; r < plan.options.ranks; ++r) {
        if (plan.members(plan.collectives[c].group, r).first == r)
          all.push_back(instance(plan, g, c, r, table));
      }
    }
  }
  return all;
}

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

StragglerTruth stragglerTruth(const JobPlan& plan, const JobTruth& job, const CollectiveTable& table,
                              int threads) {
  StragglerTruth truth;
  const Straggler& s = plan.options.straggler;
  truth.rank = s.rank;
  if (s.rank < 0 || plan.collectives.empty()) return truth;
  JobOptions healthy = plan.options;
  healthy.straggler = {};
  const CollectiveTable without = collectiveTimes(makePlan(healthy, plan.streams), threads);
  const auto stepDuration = [](const CollectiveTable& t, int g) {
    const auto i = static_cast<std::size_t>(g);
    return t.stepEnds[i] - (g > 0 ? t.stepEnds[i - 1] : 0);
  };
  for (int g = s.fromStep; g < plan.profiledSteps(); ++g) {
    std::vector<std::int64_t> waits, exposed;
    for (const FileTruth& f : job.files) {
      if (f.rank == s.rank) continue;
      for (const WaitTruth& w : f.waits) {
        if (w.step != plan.stepNumber(g)) continue;
        waits.push_back(w.waitNs);
        exposed.push_back(w.exposedNs);
      }
    }
    truth.steps.push_back(plan.stepNumber(g));
    truth.waitNs.push_back(median(waits));
    truth.exposedWaitNs.push_back(median(exposed));
    truth.delayNs.push_back(stepDuration(table, g) - stepDuration(without, g));
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
  names.reserve(std::size(kPatterns));
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

JobTruth generateJob(const JobOptions& options, const std::filesystem::path& folder) {
  return generateJob(options, {}, folder);
}

JobTruth generateJob(const JobOptions& asked, const StreamOptions& streams,
                     const std::filesystem::path& folder) {
  JobOptions options = asked;
  fitToTarget(options);
  const JobPlan plan = makePlan(std::move(options), streams);
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
    const auto& missing = plan.options.missingRanks;
    if (std::find(missing.begin(), missing.end(), r) != missing.end()) return;
    byRank[static_cast<std::size_t>(r)] = writeRank(plan, r, table, folder, taken, guard);
  });
  for (auto& files : byRank) {
    for (FileTruth& f : files) truth.files.push_back(std::move(f));
  }
  truth.collectives = collectiveTruth(plan, table);
  truth.straggler = stragglerTruth(plan, truth, table, threads);
  writeTruth(truth, folder / "ground_truth.json");
  return truth;
}

} // namespace rankscope::test
