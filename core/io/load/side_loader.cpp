// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/side_loader.h"

#include "core/base/caught.h"
#include "core/base/natural_order.h"
#include "core/base/parallel_for.h"
#include "core/io/files/trace_folder.h"
#include "core/io/flight_recorder/flight_reader.h"
#include "core/io/pickle/plain_data.h"
#include "core/io/snapshots/snapshot_reader.h"
#include "core/io/snapshots/timeline_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

template <class Model> void take(Result<Model> read, std::optional<Model>& to, std::string& note) {
  if (read)
    to = std::move(read).value();
  else
    note = (read.error().byteOffset ? "byte " + std::to_string(*read.error().byteOffset) + ": "
                                    : std::string()) +
           read.error().message;
}

void read(SideFile& file, const Progress& progress) {
  std::error_code failed;
  file.bytes = fs::file_size(file.path, failed);
  if (failed) file.bytes = 0;
  file.guess = plainKindOf(file.path);
  switch (file.guess.kind) {
  case PlainKind::Snapshot:
    return take(readSnapshot(file.path, &progress), file.snapshot, file.note);
  case PlainKind::FlightRecorder:
    return take(readFlightRecord(file.path), file.flight, file.note);
  case PlainKind::Timeline:
    return take(readMemoryTimeline(file.path), file.timeline, file.note);
  case PlainKind::TimelinePicture:
    file.note = "a picture of a memory timeline, without numbers; export it as .raw.json.gz";
    return;
  case PlainKind::None:
    file.note = file.guess.reason;
    return;
  }
}

std::vector<int> defaultGroup(const FlightRecord& record) {
  for (const FlightGroup& group : record.groups) {
    if (group.desc == "default_pg" && !group.name.empty()) return group.ranks;
  }
  return {};
}

// A file that is named as PyTorch names dumps ("nccl_trace_rank_3", "gloo_trace_rank_3"), and that is none or
// is damaged.
bool isUnreadableDump(const SideFile& file) {
  if (file.flight || file.snapshot || file.timeline) return false;
  const std::string name = fs::path(file.path).filename().string();
  constexpr std::string_view kMark = "_trace_rank_";
  const std::size_t at = name.find(kMark);
  return file.guess.kind == PlainKind::FlightRecorder ||
         (at != std::string::npos &&
          name.find_first_not_of("0123456789", at + kMark.size()) == std::string::npos);
}

// Places dumps by rank: those of the first folder, and those of others that belong to the same job (one
// folder per host).
class DumpPlaces {
 public:
  explicit DumpPlaces(std::vector<SideFile>& files) : m_files(files) {
    std::map<std::string, std::vector<std::size_t>> folders;
    std::vector<std::string> order;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!files[i].flight && !isUnreadableDump(files[i])) continue;
      const std::string folder = fs::path(files[i].path).parent_path().string();
      if (!folders.contains(folder)) order.push_back(folder);
      folders[folder].push_back(i);
    }
    for (const std::string& folder : order) addFolder(folders[folder]);
  }

  // Ranks whose dump could not be read in any form, in the folders that were taken.
  [[nodiscard]] std::vector<int> unreadable() const {
    std::vector<int> ranks;
    for (const int rank : m_unreadable) {
      if (!m_byRank.contains(rank)) ranks.push_back(rank);
    }
    return ranks;
  }

  std::vector<FlightRecord> take() {
    std::vector<FlightRecord> records;
    for (const auto& [rank, index] : m_byRank) {
      m_files[index].flight->rank = rank;
      records.push_back(std::move(*m_files[index].flight));
    }
    return records;
  }

 private:
  void addFolder(const std::vector<std::size_t>& members) {
    std::vector<std::string> names;
    names.reserve(members.size());
    for (const std::size_t i : members) names.push_back(fs::path(m_files[i].path).filename().string());
    const std::vector<std::optional<int>> ranks = ranksOfDumpNames(names);
    std::map<int, std::size_t> own;
    std::set<int> unreadable;
    for (std::size_t i = 0; i < members.size(); ++i) {
      SideFile& file = m_files[members[i]];
      if (!file.flight) {
        if (file.note.empty()) file.note = "no Flight Recorder dump, although its name says so";
        if (ranks[i]) unreadable.insert(*ranks[i]);
        continue;
      }
      if (!ranks[i]) {
        file.note = "a Flight Recorder dump whose name has no rank: left out";
        file.use = SideUse::None;
        continue;
      }
      const auto [known, isNew] = own.try_emplace(*ranks[i], members[i]);
      if (isNew) continue;
      // A pickle has stacks, which JSON has not.
      SideFile& other = m_files[known->second];
      const bool better = other.flight->json && !file.flight->json;
      SideFile& left = better ? other : file;
      left.note = "another form of the dump of rank " + std::to_string(*ranks[i]);
      left.use = SideUse::AnotherForm;
      if (better) known->second = members[i];
    }
    if (merge(own)) m_unreadable.insert(unreadable.begin(), unreadable.end());
  }

  // Whether they are of the same job as those before.
  bool merge(const std::map<int, std::size_t>& own) {
    if (own.empty()) return false;
    const std::vector<int> group = defaultGroup(*m_files[own.begin()->second].flight);
    const bool same = m_byRank.empty() ||
                      (!group.empty() && group == m_group && std::ranges::none_of(own, [&](const auto& one) {
                        return m_byRank.contains(one.first);
                      }));
    if (m_byRank.empty()) m_group = group;
    for (const auto& [rank, index] : own) {
      if (same) {
        m_byRank.emplace(rank, index);
        continue;
      }
      m_files[index].note = kNoteOfOtherJob;
      m_files[index].use = SideUse::OtherJob;
    }
    return same;
  }

  std::vector<SideFile>& m_files;
  std::vector<int> m_group; // members of the default group
  std::map<int, std::size_t> m_byRank;
  std::set<int> m_unreadable;
};

std::string noteOf(const SideFile& file) {
  if (!file.note.empty()) return file.note;
  if (file.timeline) return "memory timeline of PyTorch";
  const bool isCut = (file.snapshot && file.snapshot->partial) || (file.flight && file.flight->partial);
  return std::string(file.snapshot ? kNoteOfSnapshot : kNoteOfDump) + (isCut ? ", truncated" : "");
}

SideUse useOf(const SideFile& file) {
  const bool readable = file.snapshot || file.timeline || file.flight;
  if (!readable) return SideUse::None;
  const bool isCut = (file.snapshot && file.snapshot->partial) || (file.flight && file.flight->partial);
  return file.use == SideUse::Whole && isCut ? SideUse::Part : file.use;
}

FileStatus statusOf(const SideFile& file) {
  const bool readable = file.snapshot || file.timeline || file.flight;
  if (readable)
    return file.use == SideUse::None || file.use == SideUse::OtherJob ? FileStatus::NotATrace
                                                                      : FileStatus::Beside;
  const bool meant = file.guess.kind != PlainKind::None && file.guess.kind != PlainKind::TimelinePicture;
  return meant ? FileStatus::LeftOut : FileStatus::NotATrace;
}

} // namespace

bool mayBeSideFile(std::string_view fileName) {
  std::string name(fileName);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (name.starts_with('.')) return false;
  if (afterFlightRecorderPrefix(name)) return true;
  static constexpr std::array<std::string_view, 10> kEndings{
      ".pickle",          ".pkl",    ".pickle.gz", ".pkl.gz", ".html", ".html.gz",
      ".memory_snapshot", ".raw.gz", "snapshot",   ".dump"};
  if (std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); }))
    return true;
  // "_dump_0", "hccl_trace_rank_3", "_dump_0.gz": digits at the end, and no other ending.
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const bool digits = !name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0;
  return digits && (name.find("dump") != std::string::npos || name.find("trace") != std::string::npos ||
                    name.find("rank") != std::string::npos || name.find("snapshot") != std::string::npos);
}

SideFile readSideFile(const std::string& path, const Progress& progress) {
  SideFile file;
  file.path = path;
  if (auto problem = attempt([&] { read(file, progress); }, "to read this file"))
    file.note = problem->message;
  return file;
}

SideReading joinedSideFiles(std::vector<SideFile> files) {
  std::ranges::sort(files, [](const SideFile& a, const SideFile& b) { return naturalLess(a.path, b.path); });
  DumpPlaces dumps(files);
  SideReading reading;
  const auto side = std::make_shared<SideFiles>();
  for (const SideFile& file : files) {
    const bool known =
        file.guess.kind != PlainKind::None || !file.guess.reason.empty() || isUnreadableDump(file);
    if (!known) continue;
    reading.notes.push_back({file.path, file.bytes, statusOf(file), noteOf(file), useOf(file)});
  }
  for (SideFile& file : files) {
    if (file.snapshot) side->snapshots.push_back(std::move(*file.snapshot));
    if (file.timeline) side->timelines.push_back(std::move(*file.timeline));
  }
  side->unreadableDumps = dumps.unreadable();
  side->flightRecords = dumps.take();
  reading.files = side;
  return reading;
}

SideReading readSideFiles(std::span<const std::string> paths, unsigned threadCount,
                          const Progress& progress) {
  std::vector<SideFile> files(paths.size());
  parallelFor(files.size(), threadCount, [&](std::size_t i) {
    files[i].path = paths[i];
    if (!progress.cancelled()) files[i] = readSideFile(paths[i], progress);
  });
  return joinedSideFiles(std::move(files));
}

std::shared_ptr<const TraceSet> withSideFiles(const TraceSet& job, const SideReading& side) {
  std::vector<FileRecord> records = job.files();
  // Of a cached job: those that are gone. Records keep their places, because ranks refer to them.
  for (FileRecord& record : records) {
    if (record.status != FileStatus::Beside) continue;
    record.status = FileStatus::NotATrace;
    record.note = "not found any more";
  }
  for (const SideNote& note : side.notes) {
    auto at = std::ranges::find(records, note.path, &FileRecord::path);
    if (at == records.end()) {
      records.emplace_back();
      at = std::prev(records.end());
      at->path = note.path;
      at->bytes = note.bytes;
    }
    at->status = note.status;
    at->note = note.note;
    if (at->bytes == 0) at->bytes = note.bytes;
  }
  return std::make_shared<const TraceSet>(job.jobName(), job.names(), job.ranks(), std::move(records),
                                          job.origin(), side.files);
}

std::shared_ptr<const TraceSet> withRanksLeftOut(const TraceSet& job, std::vector<int> ranks) {
  auto side = std::make_shared<SideFiles>(job.side());
  side->leftOutRanks = std::move(ranks);
  return std::make_shared<const TraceSet>(job.jobName(), job.names(), job.ranks(), job.files(), job.origin(),
                                          std::move(side));
}

} // namespace rankscope
