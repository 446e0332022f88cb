// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/remote_traces.h"

#include "core/base/caught.h"
#include "core/base/natural_order.h"
#include "core/base/thread_team.h"
#include "core/io/files/file_kind.h"
#include "core/io/files/shown_paths.h"
#include "core/io/load/archived_traces.h"
#include "core/io/load/job_places.h"
#include "core/io/load/side_loader.h"
#include "core/io/nccl/nccl_files.h"
#include "core/io/placement/rank_files.h"
#include "core/io/placement/rank_names.h"
#include "core/io/reader/trace_reader.h"
#include "core/io/remote/rclone.h"
#include "core/io/remote/remote_credentials.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::string fileNameOf(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// "rank3.json" for "rank3.json.zst".
std::string unpackedName(const std::string& path) {
  const std::size_t dot = path.find_last_of('.');
  return isArchiveName(fileNameOf(path)) && dot != std::string::npos ? path.substr(0, dot) : path;
}

// A compressed file of one trace, which is opened beside traces too.
bool isCompressedTrace(const std::string& name) {
  return isArchiveName(name) && fs::path(unpackedName(name)).extension() == ".json";
}

std::optional<RemoteUse> useOf(const std::string& path, std::span<const std::string_view> endings) {
  const std::string name = fileNameOf(path);
  if (useOfName(name, endings).mayBeTrace()) return RemoteUse::Trace;
  if (isArchiveName(name)) return RemoteUse::Archive;
  if (mayBeSideFile(name) || mayBeNcclName(name)) return RemoteUse::Beside;
  return std::nullopt;
}

// Ranks, captures and nodes, from names alone; what would only be guessed stays unknown.
void placeByName(std::vector<RemoteEntry>& files) {
  std::vector<FileFacts> facts;
  std::vector<std::size_t> traces;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool trace =
        files[i].use == RemoteUse::Trace ||
        (files[i].use == RemoteUse::Archive && isCompressedTrace(fileNameOf(files[i].file.path)));
    if (!trace) continue;
    traces.push_back(i);
    FileFacts& fact = facts.emplace_back();
    fact.path = unpackedName(files[i].file.path);
    fact.relativePath = fact.path;
    fact.name = factsFromName(fact.path);
    fact.textBytes = files[i].file.bytes;
  }
  const std::vector<FilePlacement> placements = placeFiles(facts);
  for (std::size_t i = 0; i < placements.size(); ++i) {
    RemoteEntry& entry = files[traces[i]];
    entry.node = placements[i].host.empty() ? facts[i].name.nodeKey : placements[i].host;
    if (placements[i].from != RankSource::Name && placements[i].from != RankSource::Folder) continue;
    entry.rank = placements[i].rank;
    entry.capture = placements[i].capture;
  }
}

// In the unit of --max-fetch or a smaller one, in which the size is not zero.
std::string sizeText(std::uint64_t bytes) {
  constexpr std::pair<std::uint64_t, std::string_view> kUnits[]{
      {1'000'000'000, "GB"}, {1'000'000, "MB"}, {1'000, "kB"}};
  for (const auto& [unit, name] : kUnits)
    if (bytes >= unit)
      return fmt::format("{:.1f} {}", static_cast<double>(bytes) / static_cast<double>(unit), name);
  return fmt::format("{} bytes", bytes);
}

// What --max-fetch must be at least for so many bytes, in GB with as many digits as it takes.
std::string enoughText(std::uint64_t bytes) {
  std::uint64_t unit = 1'000'000'000;
  int digits = 0;
  while (digits < 9 && bytes < unit) {
    unit /= 10;
    ++digits;
  }
  const std::uint64_t whole = bytes / unit + 1;
  return fmt::format("{:.{}f}", static_cast<double>(whole * unit) / 1e9, digits);
}

} // namespace

std::uint64_t RemoteContents::bytes() const {
  std::uint64_t all = 0;
  for (const RemoteEntry& entry : files) all += entry.file.bytes;
  return all;
}

std::uint64_t RemoteContents::missingBytes(std::span<const std::size_t> chosen) const {
  std::uint64_t missing = 0;
  for (const std::size_t i : chosen)
    if (!files[i].here) missing += files[i].file.bytes;
  return missing;
}

bool isRemotePath(const std::string& path) {
  if (!looksRemote(path)) return false;
  std::error_code failed;
  return !fs::exists(fs::symlink_status(path, failed));
}

RemoteContents remoteContents(std::string shown, std::span<const RemoteFile> listed, bool oneFile,
                              const TraceReaders& readers) {
  std::vector<std::string_view> endings;
  for (const TraceReader* reader : readers) {
    const auto own = reader->nameEndings();
    endings.insert(endings.end(), own.begin(), own.end());
  }
  RemoteContents contents;
  contents.shown = std::move(shown);
  for (const RemoteFile& file : listed) {
    const std::optional<RemoteUse> use = useOf(file.path, endings);
    if (!use && !oneFile) {
      ++contents.others;
      continue;
    }
    if (const std::string_view why = nameProblem(file.path); !why.empty()) {
      contents.problems.push_back({contents.shown, std::string(why), false});
      continue;
    }
    RemoteEntry& entry = contents.files.emplace_back();
    entry.file = file;
    entry.use = use.value_or(RemoteUse::Trace);
  }
  const bool traces = std::ranges::any_of(
      contents.files, [](const RemoteEntry& entry) { return entry.use == RemoteUse::Trace; });
  std::erase_if(contents.files, [&](const RemoteEntry& entry) {
    const std::string name = fileNameOf(entry.file.path);
    if (!traces || entry.use != RemoteUse::Archive || isCompressedTrace(name)) return false;
    contents.problems.push_back({entry.file.path, "an archive beside other files; open it by itself", true});
    return true;
  });
  placeByName(contents.files);
  return contents;
}

Result<std::vector<std::size_t>> chosenFiles(const RemoteContents& contents, const RemoteChoice& choice) {
  std::vector<std::size_t> chosen;
  bool anyData = false;
  for (std::size_t i = 0; i < contents.files.size(); ++i) {
    const RemoteEntry& entry = contents.files[i];
    if (entry.rank && choice.ranks && !choice.ranks->contains(*entry.rank)) continue;
    if (entry.rank && choice.capture && entry.capture != *choice.capture) continue;
    chosen.push_back(i);
    anyData = true;
  }
  if (!anyData)
    return Error{ErrorKind::Io,
                 contents.files.empty() ? fmt::format("no traces are there ({} other files)", contents.others)
                                        : std::string("none of its files has these ranks and this capture"),
                 contents.shown, std::nullopt};
  const std::uint64_t missing = contents.missingBytes(chosen);
  if (missing > choice.maxBytes)
    return Error{ErrorKind::Unsupported,
                 fmt::format("{} are to be fetched, more than {}: choose ranks (--ranks 0,1) or allow more "
                             "(--max-fetch {})",
                             sizeText(missing), sizeText(choice.maxBytes), enoughText(missing)),
                 contents.shown, std::nullopt};
  return chosen;
}

RemoteFolderSettings remoteFolderSettings(const std::optional<TraceCacheSettings>& cache) {
  RemoteFolderSettings settings;
  if (cache) settings = {(fs::path(cache->folder) / "remote").string(), cache->maxBytes};
  return settings;
}

namespace {

// One remote, and what is wanted of it.
struct Source {
  RemoteName name; // whose folder the files' paths are below
  RemoteFolder folder;
  std::vector<RemoteFile> missing;
  std::map<std::string, std::size_t> numbers; // of the Discovery's files, by path below the remote
};

RemoteChoice unaskedChoice(const LoadOptions& options) {
  RemoteChoice choice{std::nullopt, std::nullopt, options.fetchUnasked};
  const std::vector<int>& ranks = options.filter.ranks;
  if (!ranks.empty()) choice.ranks = std::set<int>(ranks.begin(), ranks.end());
  return choice;
}

Result<Source> listedSource(const std::string& path, const LoadOptions& options, FetchProgress& fetched,
                            Progress& progress, RemoteContents& contents, std::vector<std::size_t>& chosen) {
  const auto around = surroundingsOf(path, progress.cancel);
  if (!around) return around.error();
  auto name = remoteNameOf(path, *around);
  if (!name) {
    Error error = name.error();
    error.file = shownUnresolved(path);
    return error;
  }
  if (name->secrets.empty()) name->secrets = keptCredentials(name->shown);
  RemoteName below = *name;
  const auto listed = listRemote(below, fetched, progress.cancel);
  if (!listed) return listed.error();
  auto folder = RemoteFolder::open(*name, remoteFolderSettings(options.cache));
  if (!folder) return folder.error();
  const TraceReaders& readers = options.readers != nullptr ? *options.readers : traceReaders();
  contents = remoteContents(name->shown, *listed, below.remote != name->remote, readers);
  if (listed->empty())
    return Error{ErrorKind::Io, "nothing is there, or it is not visible with these credentials", name->shown,
                 std::nullopt};
  showPathAs(folder->files(), shownFile(*name, {}));
  if (below.remote != name->remote && listed->size() == 1)
    showPathAs(folder->pathOf(listed->front().path), shownFile(*name, {}));
  folder->removeOthers(*listed);
  for (RemoteEntry& entry : contents.files) entry.here = folder->has(entry.file);
  auto picked =
      options.chooseRemote ? options.chooseRemote(contents) : chosenFiles(contents, unaskedChoice(options));
  if (!picked) return picked.error();
  chosen = std::move(*picked);
  Source source{std::move(below), std::move(*folder), {}, {}};
  for (const std::size_t i : chosen)
    if (!contents.files[i].here) source.missing.push_back(contents.files[i].file);
  return source;
}

} // namespace

struct RemoteJob::State {
  Progress& progress;
  FetchProgress unseen;
  FetchProgress& fetched;
  std::vector<std::string> localPaths;
  std::vector<Source> sources;
  Discovery found;
  std::function<void()> changed;

  // A trace file before all are known.
  struct Planned {
    DiscoveredFile file;
    std::size_t source = 0; // of a remote
    std::string remotePath; // empty: on this machine
    bool here = true;
    bool packed = false; // a compressed trace
  };
  std::vector<Planned> planned;
  ArchiveFolderSettings archives;

  mutable std::mutex mutex; // of what follows
  std::vector<char> decided;
  std::vector<char> packed;                   // is to be unpacked before it is read
  std::vector<std::optional<Error>> problems; // of files
  std::optional<Error> failure;
  std::optional<ThreadTeam> fetching;

  State(Progress& of, FetchProgress* shown) : progress(of), fetched(shown != nullptr ? *shown : unseen) {}

  void add(Source source, const RemoteContents& contents, std::span<const std::size_t> chosen, bool alone) {
    const std::string folder = source.folder.files();
    const std::string name = fs::path(folder).filename().string();
    // A file that was named itself is no folder, whose name would say something of its files.
    const bool itself = contents.files.size() == 1 && contents.files.front().file.path == name;
    const std::string prefix = alone || itself ? std::string() : name + "/";
    for (const std::size_t i : chosen) {
      const RemoteEntry& entry = contents.files[i];
      const std::string path = source.folder.pathOf(entry.file.path);
      const bool compressed =
          entry.use == RemoteUse::Archive && isCompressedTrace(fileNameOf(entry.file.path));
      if (entry.use == RemoteUse::Trace || compressed) {
        const std::string relative = compressed ? unpackedName(entry.file.path) : entry.file.path;
        planned.push_back({{path, prefix + relative, entry.file.bytes},
                           sources.size(),
                           entry.file.path,
                           entry.here,
                           compressed});
      } else if (entry.use == RemoteUse::Archive) {
        found.problems.push_back({path, "an archive", true});
      } else {
        found.beside.push_back(path);
      }
    }
    for (std::size_t i = 0; i < contents.files.size(); ++i)
      if (contents.files[i].rank && std::ranges::find(chosen, i) == chosen.end())
        found.leftOut.insert(*contents.files[i].rank);
    std::ranges::copy(contents.problems, std::back_inserter(found.problems));
    localPaths.push_back(folder);
    sources.push_back(std::move(source));
  }

  void addLocal(const std::string& path, Discovery local) {
    for (DiscoveredFile& file : local.files) planned.push_back({std::move(file), 0, {}, true, false});
    std::ranges::move(local.problems, std::back_inserter(found.problems));
    std::ranges::move(local.beside, std::back_inserter(found.beside));
    std::ranges::move(local.unpacked, std::back_inserter(found.unpacked));
    localPaths.push_back(path);
  }

  // The files of the Discovery. Where there are archives of several files, all compressed traces are unpacked
  // with them.
  void settle() {
    const bool withArchives = hasArchives();
    for (Planned& plan : planned)
      if (plan.packed && withArchives) found.problems.push_back({plan.file.path, "an archive", true});
    if (withArchives) std::erase_if(planned, [](const Planned& plan) { return plan.packed; });
    // As in a folder, where they are in order of their names when unpacked.
    if (std::ranges::any_of(planned, &Planned::packed))
      std::ranges::stable_sort(planned, [](const Planned& a, const Planned& b) {
        return naturalLess(a.file.relativePath, b.file.relativePath);
      });
    for (Planned& plan : planned) {
      if (!plan.remotePath.empty()) sources[plan.source].numbers[plan.remotePath] = found.files.size();
      found.files.push_back(std::move(plan.file));
      decided.push_back(plan.here ? 1 : 0);
      packed.push_back(plan.packed ? 1 : 0);
    }
    planned.clear();
    problems.resize(decided.size());
  }

  // Unpacks the compressed traces that are here. False on cancel.
  bool unpackHere() {
    progress.stage = LoadStage::Unpacking;
    for (std::size_t i = 0; i < found.files.size(); ++i)
      if (decided[i] != 0 && packed[i] != 0) unpack(i, progress);
    progress.stage = LoadStage::Finding;
    progress.bytesDone = 0;
    return !progress.cancelled();
  }

  void unpack(std::size_t file, Progress& of) {
    auto unpacked = unpackedTrace(found.files[file], archives, of, &progress.cancel);
    const std::lock_guard lock(mutex);
    packed[file] = 0;
    if (!unpacked) {
      problems[file] = unpacked.error();
      return;
    }
    if (!unpacked->problem.empty())
      found.problems.push_back({found.files[file].path, std::move(unpacked->problem), false});
    found.files[file] = std::move(unpacked->file);
  }

  // Called once for each file, on the thread that reads it.
  std::optional<Error> problem(std::size_t file) {
    {
      const std::lock_guard lock(mutex);
      if (problems[file] || packed[file] == 0) return problems[file];
    }
    Progress own; // that of the load counts what is read
    unpack(file, own);
    const std::lock_guard lock(mutex);
    return problems[file];
  }

  void decide(const Source& source, const std::string& path, std::optional<Error> problem) {
    {
      const std::lock_guard lock(mutex);
      const auto number = source.numbers.find(path);
      if (number != source.numbers.end()) {
        decided[number->second] = 1;
        problems[number->second] = std::move(problem);
      } else if (problem && !failure) {
        failure = std::move(problem);
      }
    }
    if (changed) changed();
  }

  // Everything that is missing of one remote, by one run of rclone.
  std::optional<Error> fetch(Source& source) {
    std::uint64_t bytes = 0;
    for (const RemoteFile& file : source.missing) bytes += file.bytes;
    if (auto problem = source.folder.makeRoom(bytes)) return problem;
    const auto staging = source.folder.newStaging();
    if (!staging) return staging.error();
    std::map<std::string_view, const RemoteFile*> missing;
    for (const RemoteFile& file : source.missing) missing.emplace(file.path, &file);
    auto problem = fetchFiles(source.name, source.missing, *staging, fetched, progress.cancel,
                              [&](const std::string& path) {
                                const auto file = missing.find(path);
                                if (file == missing.end()) return;
                                decide(source, path, source.folder.take(*file->second));
                              });
    source.folder.dropStaging();
    return problem;
  }

  void fetchAll() noexcept {
    for (Source& source : sources) {
      if (source.missing.empty()) continue;
      auto problem = attempt([&] { return fetch(source); }, "to fetch these files");
      const std::lock_guard lock(mutex);
      if (problem && !failure) failure = std::move(problem);
    }
    {
      const std::lock_guard lock(mutex);
      for (std::size_t i = 0; i < decided.size(); ++i) {
        if (decided[i] != 0) continue;
        static_cast<void>(attempt([&] {
          problems[i] =
              Error{ErrorKind::Io, "not fetched: " + (failure ? failure->message : "cancelled"), {}, {}};
        }));
        decided[i] = 1;
      }
    }
    fetched.stage = FetchProgress::Stage::None;
    if (changed) changed();
  }

  [[nodiscard]] bool hasArchives() const {
    return std::ranges::any_of(found.problems, [](const DiscoveryProblem& problem) {
      return problem.notATrace && isArchiveName(fileNameOf(problem.path));
    });
  }
};

RemoteJob::RemoteJob(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RemoteJob::~RemoteJob() = default;

Result<std::unique_ptr<RemoteJob>> RemoteJob::prepare(const std::vector<std::string>& paths,
                                                      const LoadOptions& options, Progress& progress) {
  auto state = std::make_unique<State>(progress, options.fetched);
  FetchProgress& fetched = state->fetched;
  fetched.bytesDone = 0;
  fetched.bytesTotal = 0;
  const TraceReaders& readers = options.readers != nullptr ? *options.readers : traceReaders();
  const ArchiveFolderSettings archives = archiveFolderSettings(options.cache);
  for (const std::string& path : paths) {
    if (!isRemotePath(path)) {
      auto local = discoverWithArchives(std::vector<std::string>{path}, archives, progress, readers);
      if (!local) return local.error();
      state->addLocal(path, std::move(*local));
      continue;
    }
    RemoteContents contents;
    std::vector<std::size_t> chosen;
    fetched.stage = FetchProgress::Stage::Listing;
    auto source = listedSource(path, options, fetched, progress, contents, chosen);
    fetched.stage = FetchProgress::Stage::None;
    if (!source) return source.error();
    fetched.bytesTotal += contents.missingBytes(chosen);
    rememberPlaces(std::vector<std::string>{path}, std::vector<std::string>{source->folder.files()});
    state->add(std::move(*source), contents, chosen, paths.size() == 1);
  }
  state->archives = archives;
  state->settle();
  if (!state->unpackHere()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
  if (state->hasArchives()) {
    fetched.stage = FetchProgress::Stage::Fetching;
    state->fetchAll();
    if (progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", {}, std::nullopt};
    auto unpacked =
        withArchivesUnpacked(std::move(state->found), state->localPaths, archives, progress, readers);
    if (!unpacked) return unpacked.error();
    // An archive that was not fetched is not there.
    if (state->failure && unpacked->files.empty()) return *state->failure;
    rememberPlaces(paths, unpacked->unpacked);
    state->found = std::move(*unpacked);
    state->decided.assign(state->found.files.size(), 1);
    state->packed.assign(state->found.files.size(), 0);
    state->problems.assign(state->found.files.size(), std::nullopt);
    for (Source& source : state->sources) source.missing.clear();
  }
  return std::unique_ptr<RemoteJob>(new RemoteJob(std::move(state)));
}

const std::vector<std::string>& RemoteJob::localPaths() const {
  return m_state->localPaths;
}

const Discovery& RemoteJob::files() const {
  return m_state->found;
}

void RemoteJob::start(std::function<void()> changed) {
  State& state = *m_state;
  state.changed = std::move(changed);
  const bool anything =
      std::ranges::any_of(state.sources, [](const Source& source) { return !source.missing.empty(); });
  if (!anything) return;
  state.fetched.stage = FetchProgress::Stage::Fetching;
  state.fetching.emplace(1, [&state] { state.fetchAll(); });
  if (state.fetching->size() == 0) state.fetchAll(); // without another thread: first everything
}

bool RemoteJob::decided(std::size_t file) const {
  const std::lock_guard lock(m_state->mutex);
  return m_state->decided[file] != 0;
}

std::optional<Error> RemoteJob::problem(std::size_t file) const {
  return m_state->problem(file);
}

std::optional<Error> RemoteJob::finish() {
  m_state->fetching.reset();
  const std::lock_guard lock(m_state->mutex);
  return m_state->failure;
}

} // namespace rankscope
