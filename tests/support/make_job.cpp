// SPDX-License-Identifier: GPL-3.0-or-later
//
// rankscope-make-job: writes the traces of a synthetic job and its ground truth.
#include "tests/support/job_generator.h"
#include "tests/support/job_streams.h"
#include "tests/support/nsys_writer.h"
#include "tests/support/parallel_jobs.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/training_snapshot.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>

namespace {

using namespace rankscope::test;

// Parses "2ms", "150us", "3s", "40ns" or a plain number of nanoseconds.
std::int64_t durationOf(const std::string& text) {
  std::size_t end = 0;
  const std::int64_t value = std::stoll(text, &end);
  const std::string unit = text.substr(end);
  if (unit.empty() || unit == "ns") return value;
  if (unit == "us") return value * 1'000;
  if (unit == "ms") return value * 1'000'000;
  if (unit == "s") return value * 1'000'000'000;
  throw CLI::ValidationError("a duration ends in ns, us, ms or s: " + text);
}

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> list(1);
  for (const char c : text) {
    if (c == ':')
      list.emplace_back();
    else
      list.back() += c;
  }
  return list;
}

const std::map<std::string, GapCause> kCauses{{"dataloader", GapCause::DataLoader},
                                              {"sync", GapCause::Sync},
                                              {"cudaMalloc", GapCause::CudaMalloc},
                                              {"python", GapCause::Python},
                                              {"launch-bound", GapCause::LaunchBound}};
const std::map<std::string, StragglerKind> kStragglers{{"compute", StragglerKind::Compute},
                                                       {"dataloader", StragglerKind::DataLoader},
                                                       {"host", StragglerKind::Host}};
const std::map<std::string, Waste> kWaste{
    {"simt", Waste::Simt},           {"layout", Waste::Layout},       {"unfused", Waste::Unfused},
    {"attention", Waste::Attention}, {"optimizer", Waste::Optimizer}, {"zero-grad", Waste::ZeroGrad},
    {"clip-norm", Waste::ClipNorm},  {"barrier", Waste::Barrier},     {"empty-cache", Waste::EmptyCache},
    {"pinning", Waste::Pinning},     {"random", Waste::Random}};
const std::map<std::string, DamageKind> kDamages{{"none", DamageKind::None},
                                                 {"truncate", DamageKind::Truncate},
                                                 {"invalid-utf8", DamageKind::InvalidUtf8},
                                                 {"control-character", DamageKind::ControlCharacter},
                                                 {"unescaped-quote", DamageKind::UnescapedQuote},
                                                 {"trailing-comma", DamageKind::TrailingComma},
                                                 {"missing-end", DamageKind::MissingEnd},
                                                 {"nan", DamageKind::NotANumber},
                                                 {"garbage-tail", DamageKind::GarbageTail},
                                                 {"truncated-gzip", DamageKind::TruncatedGzip}};
const std::map<std::string, Layout> kLayouts{{"kineto", Layout::Kineto},
                                             {"lines", Layout::Lines},
                                             {"compact", Layout::Compact},
                                             {"pretty", Layout::Pretty}};
const std::map<std::string, Vocabulary> kVocabularies{
    {"modern", Vocabulary::Modern}, {"legacy", Vocabulary::Legacy}, {"exporter", Vocabulary::Exporter}};
const std::map<std::string, Parallelism> kParallelisms{
    {"ddp", Parallelism::Data}, {"fsdp", Parallelism::FullySharded}, {"tp", Parallelism::Tensor}};
const std::map<std::string, ThreadIds> kThreadIds{
    {"normal", ThreadIds::Normal}, {"negative", ThreadIds::Negative}, {"wide", ThreadIds::Wide}};

const std::map<std::string, PipelineOrder> kSchedules{
    {"gpipe", PipelineOrder::GPipe},
    {"1f1b", PipelineOrder::OneForwardOneBackward},
    {"interleaved", PipelineOrder::InterleavedOneForwardOneBackward},
    {"zero-bubble", PipelineOrder::ZeroBubble}};

struct RawOptions {
  StreamOptions streams;
  std::string folder, straggler, loader, late, writtenAs = "kineto", reports = "rank", parallel = "ddp";
  PipelineJob pipeline;
  std::uint32_t snapshotEntries = 0;
  bool trainingSnapshot = false;
  std::vector<std::string> gaps, offsets;
};

void addShape(CLI::App& app, JobOptions& o, RawOptions& raw) {
  app.add_option("folder", raw.folder, "Where to write; made when absent")->required();
  app.add_option("--snapshot-entries", raw.snapshotEntries,
                 "Also writes a memory snapshot of so many entries, of 240 bytes each");
  app.add_flag("--training-snapshot", raw.trainingSnapshot,
               "Also writes the memory snapshot of a small model that is trained until memory runs out");
  app.add_option("--ranks", o.ranks, "Ranks of the job")->capture_default_str();
  app.add_option("--ranks-per-node", o.ranksPerNode, "GPUs of a host")->capture_default_str();
  app.add_option("--steps", o.steps, "Profiled steps in each capture")->capture_default_str();
  app.add_option("--captures", o.captures, "Profiling cycles: files of each rank")->capture_default_str();
  app.add_option("--layers", o.layers, "Layers of the model: about 200 events each and step")
      ->capture_default_str();
  app.add_option("--events", o.targetEvents, "Events of the whole job; chooses layers, then steps");
  app.add_option("--seed", o.seed, "Same seed, same bytes")->capture_default_str();
  app.add_option(
         "--parallel", raw.parallel,
         "How the model is spread: ddp, fsdp, or tp for tensor-parallel groups of --tensor-ranks; pp: "
         "pipelines, fsdp+tp: both, which take --ranks, --steps, --layers, --tensor-ranks and the "
         "options of pipelines only; pp also --straggler RANK:TIME; ep: experts, which take --ranks, "
         "--steps, --layers and --uneven only, by how many per mille rank 1 gets more tokens than the mean")
      ->check(CLI::IsMember({"ddp", "fsdp", "tp", "pp", "fsdp+tp", "ep"}))
      ->capture_default_str();
  app.add_option("--schedule", raw.pipeline.order, "Of pipelines: gpipe, 1f1b, interleaved, zero-bubble")
      ->transform(CLI::CheckedTransformer(kSchedules))
      ->default_str("1f1b");
  app.add_option("--pipeline-ranks", raw.pipeline.pipelineRanks, "Ranks of a pipeline")
      ->capture_default_str();
  app.add_option("--stages-per-rank", raw.pipeline.stagesPerRank, "Stages of each rank of a pipeline")
      ->capture_default_str();
  app.add_option("--microbatches", raw.pipeline.microbatches, "Of a pipeline in each step")
      ->capture_default_str();
  app.add_option("--slow-stage", raw.pipeline.slowStage, "A stage that takes longer")->capture_default_str();
  app.add_option("--slow-by", raw.pipeline.slowPermille, "Its time, per mille of the others'")
      ->capture_default_str();
  app.add_option("--tensor-ranks", o.tensorRanks, "Ranks of a tensor-parallel group")->capture_default_str();
  app.add_flag("!--replicas", o.reducesGradients, "No gradients between tensor-parallel groups");
  app.add_option("--buckets", o.buckets, "AllReduces a step")->capture_default_str();
  app.add_option("--overlap", o.overlapPermille, "Per mille of the buckets sent during the backward pass")
      ->capture_default_str();
  app.add_option("--communication", o.communicationPermille, "Transfer time, per mille of the backward pass")
      ->capture_default_str();
  app.add_option("--loader", raw.loader, "Time of a healthy DataLoader call, as 150us");
  app.add_flag("!--no-sync", o.syncEachStep, "No loss.item() at the end of a step: the host runs ahead");
  app.add_flag("!--pageable", o.pinnedCopies, "Input copies from pageable memory");
  app.add_flag("--sync-rows", raw.streams.syncRows, "Rows that say what streams and the host waited for");
  app.add_flag("--second-stream", raw.streams.secondStream,
               "Gradients of weights on a second compute stream, with events in both directions");
  app.add_flag("--overlapping-kernels", o.overlappingKernels, "Kernels of one stream overlap a little");
}

void addFaults(CLI::App& app, JobOptions& o, RawOptions& raw) {
  app.add_option("--straggler", raw.straggler,
                 "RANK:TIME[:compute|dataloader|host[:FROM_STEP]], as 2:3ms:compute:1");
  app.add_option(
      "--gap", raw.gaps,
      "CAUSE:TIME[:RANK[:STEP]] with cause dataloader, sync, cudaMalloc, python, launch-bound; -1 for all");
  app.add_option("--waste", o.waste, "Work that steps need not do: kinds, comma-separated")
      ->transform(CLI::CheckedTransformer(kWaste))
      ->delimiter(',');
  app.add_option(
      "--uneven", raw.streams.unevenPermille,
      "By how many per mille the longest sequences of a step exceed the mean; other ranks in turn");
  app.add_flag("--fragments", raw.streams.fragments, "A collective for each parameter, not each bucket");
  app.add_flag("--buffers", raw.streams.buffers, "DDP broadcasts buffers before each forward pass");
  app.add_flag("--objects", raw.streams.objects, "Python objects are gathered after each backward pass");
  app.add_option("--leak", o.leakBytesPerStep, "Bytes a step that are never freed");
  app.add_option("--leak-rank", o.leakRank, "Only this rank leaks")->capture_default_str();
  app.add_option("--clock", raw.offsets, "By node: OFFSET[:DRIFT in parts per 10^9], as 3ms:20000");
  app.add_option("--late", raw.late, "RANK:TIME: the rank's recording begins that much after the others'");
  app.add_option("--missing", o.missingRanks, "Ranks for which no file is written");
  app.add_option("--damage", o.damage.kind, "Spoils a file")
      ->transform(CLI::CheckedTransformer(kDamages))
      ->default_str("none");
  app.add_option("--damage-rank", o.damage.rank, "Whose; -1 for all")->capture_default_str();
  app.add_option("--damage-at", o.damage.permille, "Where in the file, per mille")->capture_default_str();
}

void addFormat(CLI::App& app, JobOptions& o, RawOptions& raw) {
  app.add_option("--layout", o.layout, "White space")
      ->transform(CLI::CheckedTransformer(kLayouts))
      ->default_str("kineto");
  app.add_option(
         "--vocabulary", o.vocabulary,
         "modern; legacy: names and integer times of PyTorch 1.9; exporter: PyTorch's own exporter of 2026")
      ->transform(CLI::CheckedTransformer(kVocabularies))
      ->default_str("modern");
  app.add_option("--as", raw.writtenAs, "kineto, or exports of Nsight Systems as well: nsys2022, nsys2026")
      ->check(CLI::IsMember({"kineto", "nsys2022", "nsys2026"}))
      ->capture_default_str();
  app.add_option("--reports", raw.reports, "Such an export has a rank, or all ranks of a host")
      ->check(CLI::IsMember({"rank", "host"}))
      ->capture_default_str();
  app.add_flag("--bare-array", o.bareArray, "The events alone, without a root object");
  app.add_flag("--begin-end", o.beginEnd, "Host slices as B and E pairs");
  app.add_flag("--metadata-last", o.metadataLast, "Metadata after the events");
  app.add_option("--thread-ids", o.threadIds, "Of the autograd thread")
      ->transform(CLI::CheckedTransformer(kThreadIds))
      ->default_str("normal");
  app.add_flag("--different-bases", o.differentBases, "Odd nodes write times from an earlier base");
  app.add_flag("--stack", o.withStack, "Python frames");
  app.add_flag("!--no-shapes", o.withShapes, "No input shapes");
  app.add_flag("!--no-memory", o.withMemory, "No memory events");
  app.add_flag("!--no-flows", o.withFlows, "No flow events");
  app.add_flag("!--no-gpu-annotations", o.withGpuAnnotations, "No annotations on GPU rows");
  app.add_flag("!--no-distributed-info", o.withDistributedInfo, "No distributedInfo");
  app.add_flag("!--no-device-properties", o.withDeviceProperties, "No deviceProperties");
  app.add_flag("!--no-steps", o.withProfilerSteps, "No ProfilerStep annotations");
  app.add_flag("!--no-collective-args", o.withCollectiveArgs, "No arguments on collectives");
  app.add_flag("--sequence-numbers", o.withSequenceNumbers,
               "Seq on collectives, as PyTorch writes from 2026 on");
  app.add_flag("!--no-host-name", o.withHostName, "No host_name");
  std::string known;
  for (const std::string& n : namePatternNames()) known += (known.empty() ? "" : ", ") + n;
  app.add_option("--names", o.namePattern,
                 "Path of a file: a pattern with {rank} {rank06} {localrank} {node} {host} {pid} {ns} {ms} "
                 "{capture} {step}, or one of " +
                     known)
      ->capture_default_str();
  app.add_flag("--gzip", o.gzip, "Compress; appends .gz");
  app.add_option("--gzip-level", o.gzipLevel, "1 to 9")->check(CLI::Range(1, 9))->capture_default_str();
  app.add_option("--threads", o.threads, "0: all")->capture_default_str();
}

void interpret(const RawOptions& raw, JobOptions& o) {
  if (const auto known = kParallelisms.find(raw.parallel); known != kParallelisms.end())
    o.parallelism = known->second;
  if (!raw.loader.empty()) o.loaderNs = durationOf(raw.loader);
  if (!raw.straggler.empty()) {
    const auto p = parts(raw.straggler);
    if (p.size() < 2) throw CLI::ValidationError("--straggler wants RANK:TIME");
    o.straggler = {std::stoi(p[0]), durationOf(p[1]), p.size() > 3 ? std::stoi(p[3]) : 0,
                   p.size() > 2 ? kStragglers.at(p[2]) : StragglerKind::Compute};
  }
  if (!raw.late.empty()) {
    const auto p = parts(raw.late);
    if (p.size() != 2) throw CLI::ValidationError("--late wants RANK:TIME");
    o.late = {std::stoi(p[0]), durationOf(p[1])};
  }
  for (const std::string& gap : raw.gaps) {
    const auto p = parts(gap);
    if (p.size() < 2) throw CLI::ValidationError("--gap wants CAUSE:TIME");
    o.gaps.push_back({p.size() > 2 ? std::stoi(p[2]) : -1, p.size() > 3 ? std::stoi(p[3]) : -1,
                      durationOf(p[1]), kCauses.at(p[0])});
  }
  for (const std::string& clock : raw.offsets) {
    const auto p = parts(clock);
    o.clockOffsetNs.push_back(durationOf(p[0]));
    o.clockDriftPpb.push_back(p.size() > 1 ? std::stoll(p[1]) : 0);
  }
}

// Writes a memory snapshot of so many entries into FOLDER/rank0_snapshot.pickle.
void writeSnapshotInto(const std::string& folder, std::uint32_t entries) {
  std::filesystem::create_directories(folder);
  std::ofstream file(std::filesystem::path(folder) / "rank0_snapshot.pickle", std::ios::binary);
  writeSnapshot({.entries = entries, .stacks = 300, .frames = 40}, [&](std::string_view part) {
    file.write(part.data(), static_cast<std::streamsize>(part.size()));
  });
}

// Exports of the traces in the folder, where they are wanted.
void writeExports(const RawOptions& raw) {
  if (raw.writtenAs == "kineto") return;
  writeAsNsys(raw.folder, raw.folder + "/" + raw.writtenAs,
              raw.writtenAs == "nsys2022" ? NsysFile::Version::Old : NsysFile::Version::New,
              raw.reports == "host" ? NsysReports::OfHosts : NsysReports::OfRanks);
}

// Pipelines, and shards with tensor parallelism; false for other jobs.
bool writeDivided(const RawOptions& raw, const JobOptions& o) {
  if (raw.parallel == "pp") {
    PipelineJob job = raw.pipeline;
    job.steps = o.steps;
    job.replicas = o.ranks / std::max(1, job.pipelineRanks);
    if (o.straggler.rank >= 0 && o.straggler.kind != StragglerKind::Compute)
      throw CLI::ValidationError("--straggler of a pipeline computes longer");
    if (o.straggler.fromStep > 0 || !o.gaps.empty() || !o.waste.empty())
      throw CLI::ValidationError("pipelines have stragglers in all steps and slow stages, no other faults");
    job.slowRank = o.straggler.rank;
    job.slowRankNs = o.straggler.extraNs;
    const PipelineTruth truth = generatePipelineJob(job, raw.folder);
    fmt::print("{}: {} pipelines of {} ranks, step {} us, window {} us, bubble {:.2f} %\n", raw.folder,
               job.replicas, job.pipelineRanks, truth.stepNs / 1000, truth.windowNs / 1000,
               truth.bubblePct());
    return true;
  }
  if (raw.parallel == "ep") {
    ExpertJob job;
    job.ranks = o.ranks;
    job.layers = o.layers;
    job.steps = o.steps;
    job.unevenPermille = static_cast<int>(raw.streams.unevenPermille);
    const ExpertTruth truth = generateExpertJob(job, raw.folder);
    fmt::print(
        "{}: load of the fullest rank {:.3f} of the mean; in each step rank 0 waits {} us in combines\n",
        raw.folder, truth.imbalance, truth.combineWaitNs.front() / 1000);
    return true;
  }
  if (raw.parallel != "fsdp+tp") return false;
  ShardedJob job;
  job.ranks = o.ranks;
  job.tensorRanks = o.tensorRanks;
  job.layers = o.layers;
  job.steps = o.steps;
  const ShardedTruth truth = generateShardedJob(job, raw.folder);
  fmt::print("{}: exposed in each step: tensor {} us, sharded {} us\n", raw.folder,
             truth.tensorExposedNs / 1000, truth.shardedExposedNs / 1000);
  return true;
}

int run(int argc, char** argv) {
  CLI::App app("Writes the traces of a synthetic data-parallel training job, one file per rank, and "
               "ground_truth.json with the exact figures.");
  JobOptions options;
  RawOptions raw;
  addShape(app, options, raw);
  addFaults(app, options, raw);
  addFormat(app, options, raw);
  try {
    app.parse(argc, argv);
    interpret(raw, options);
    if (writeDivided(raw, options)) {
      writeExports(raw);
      return 0;
    }
    const auto begin = std::chrono::steady_clock::now();
    const JobTruth truth = generateJob(options, raw.streams, raw.folder);
    writeExports(raw);
    if (raw.snapshotEntries > 0) writeSnapshotInto(raw.folder, raw.snapshotEntries);
    if (raw.trainingSnapshot)
      std::ofstream(raw.folder + "/rank0_memory_snapshot.pickle", std::ios::binary)
          << trainingSnapshot({.outOfMemory = true});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    fmt::print("{}: {} files, {} ranks, {} steps, {} layers, {} events, {:.1f} MB of JSON in {:.2f} s "
               "({:.0f} MB/s)\n",
               raw.folder, truth.files.size(), truth.options.ranks,
               truth.options.steps * truth.options.captures, truth.options.layers, truth.events(),
               static_cast<double>(truth.jsonBytes()) / 1e6, elapsed.count(),
               static_cast<double>(truth.jsonBytes()) / 1e6 / elapsed.count());
    for (std::size_t i = 0; i < truth.straggler.steps.size(); ++i)
      fmt::print("straggler: rank {} made step {} longer by {} us; the median other rank waited {} us, {} us "
                 "of it without computing\n",
                 truth.straggler.rank, truth.straggler.steps[i], truth.straggler.delayNs[i] / 1000,
                 truth.straggler.waitNs[i] / 1000, truth.straggler.exposedWaitNs[i] / 1000);
    for (const FileTruth& f : truth.files) {
      if (f.damagedEvents > 0) fmt::print("damaged: {}\n", f.file);
    }
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    fmt::print(stderr, "rankscope-make-job: {}\n", e.what());
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    std::fputs("rankscope-make-job: out of memory\n", stderr);
    return 1;
  }
}
