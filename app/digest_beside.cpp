// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_beside.h"

#include "app/digest_logs.h"
#include "app/digest_messages.h"
#include "core/analysis/collectives/hang_analysis.h"
#include "core/analysis/digest/digest_bounds.h"
#include "core/analysis/findings/beside_findings.h"
#include "core/base/natural_order.h"
#include "core/base/parallel_for.h"
#include "core/io/digest/flight_image.h"
#include "core/io/load/side_loader.h"
#include "core/model/side_files.h"
#include "core/report/digest_rows.h"
#include "core/report/job_report.h"
#include "core/report/network_source.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace rankscope {

namespace {

// A file to read, and how it is shown.
struct BesidePlace {
  std::string shown;
  std::string path;
};

// A file beside traces as its process sends it.
struct BesideImage {
  std::string shown;
  std::uint64_t bytes = 0;
  PlainGuess guess;
  std::string note;
  std::string flight;                     // packedFlight
  bool timeline = false;                  // it is one
  std::optional<std::optional<int>> rank; // of a snapshot
  bool partial = false;                   // the snapshot
  std::string rows;                       // sideRows of the snapshot
  BesideFindings findings;
};

} // namespace

template <class Archive, Described<BesidePlace> T> void describe(Archive& archive, T& place) {
  auto& [shown, path] = place;
  archive(shown, path);
}

template <class Archive, Described<PlainGuess> T> void describe(Archive& archive, T& guess) {
  auto& [kind, reason] = guess;
  archive(kind, reason);
}

template <class Archive, Described<BesideImage> T> void describe(Archive& archive, T& image) {
  auto& [shown, bytes, guess, note, flight, timeline, rank, partial, rows, findings] = image;
  archive(shown, bytes, guess, note, flight, timeline, rank, partial, rows, findings);
}

namespace {

JobReport reportOf(const SideFiles& side) {
  return JobReport(std::make_shared<const Analysis>(std::make_shared<const TraceSet>(
      std::string(), StringTable(), std::vector<RankEntry>(), std::vector<FileRecord>(), TraceOrigin(),
      std::make_shared<const SideFiles>(side))));
}

BesideImage imageOf(const BesidePlace& place) {
  const Progress progress;
  SideFile file = readSideFile(place.path, progress);
  BesideImage image{place.shown, file.bytes, file.guess, file.note, {}, file.timeline.has_value(),
                    {},          false,      {},         {}};
  if (file.flight) {
    file.flight->path = place.shown;
    image.flight = packedFlight(*file.flight);
  }
  if (file.snapshot) {
    file.snapshot->path = place.shown;
    image.rank = file.snapshot->rank;
    image.partial = file.snapshot->partial;
    SideFiles alone;
    alone.snapshots.push_back(std::move(*file.snapshot));
    image.rows = sideRows(reportOf(alone), DigestBounds().rows);
    image.findings = besideFindings(alone);
  }
  return image;
}

// Rows beyond the bound are not among the first ones of all processes either.
void boundRows(std::vector<BesideImage>& images) {
  std::ranges::sort(images, naturalLess, &BesideImage::shown);
  std::vector<std::string> rows;
  for (BesideImage& image : images) {
    if (image.rank) rows.push_back(std::move(image.rows));
  }
  boundSideRows(rows, DigestBounds().rows);
  std::size_t next = 0;
  for (BesideImage& image : images) {
    if (image.rank) image.rows = std::move(rows[next++]);
  }
}

// The files that each process has to read, at the first one.
std::vector<std::vector<BesidePlace>> placesOf(const JobFiles& files, const DigestWork& work) {
  std::vector<std::vector<BesidePlace>> places(work.team.size());
  for (const DigestFile& file : files.beside) places[file.process].push_back({file.found.path, file.path});
  // Some are named like traces.
  std::map<std::string, const DigestFile*> byName;
  for (const DigestFile& file : files.files) byName.emplace(file.found.path, &file);
  for (const FileRecord& record : work.digest.files) {
    const auto found = byName.find(record.path);
    if (record.status == FileStatus::NotATrace && found != byName.end())
      places[found->second->process].push_back({record.path, found->second->path});
  }
  return places;
}

// The first process joins what all have read.
class Joined {
 public:
  explicit Joined(DigestWork& work) : m_work(work) {}

  void add(std::vector<BesideImage> images) {
    for (BesideImage& image : images) m_images.emplace(image.shown, std::move(image));
  }

  void finish() {
    std::vector<SideFile> files;
    files.reserve(m_images.size());
    for (const auto& [shown, image] : m_images) files.push_back(shellOf(image));
    const SideReading reading = joinedSideFiles(std::move(files));
    const TraceSet job(m_work.digest.name, StringTable(), {}, std::move(m_work.digest.files));
    m_work.digest.files = withSideFiles(job, reading)->files();
    const SideFiles& side = *reading.files;
    if (side.empty()) return;
    m_work.digest.unreadableDumps = side.unreadableDumps;
    BesideFindings found;
    found.dumps = !side.flightRecords.empty();
    found.snapshots = !side.snapshots.empty();
    std::vector<std::string> rows;
    takeDumps(side, rows, found);
    for (const MemorySnapshot& snapshot : side.snapshots) {
      BesideImage& image = m_images.at(snapshot.path);
      rows.push_back(std::move(image.rows));
      std::ranges::move(image.findings.findings, std::back_inserter(found.findings));
    }
    if (!rows.empty()) m_work.digest.sideRows = joinedSideRows(rows, DigestBounds().rows);
    m_work.digest.sideFindings = packedBesideFindings(found);
  }

 private:
  struct NaturalLess {
    bool operator()(const std::string& a, const std::string& b) const { return naturalLess(a, b); }
  };

  // What tells files apart and which job they are of, without their content.
  static SideFile shellOf(const BesideImage& image) {
    SideFile file;
    file.path = image.shown;
    file.bytes = image.bytes;
    file.guess = image.guess;
    file.note = image.note;
    if (image.timeline) file.timeline.emplace().path = image.shown;
    if (image.rank) {
      MemorySnapshot& snapshot = file.snapshot.emplace();
      snapshot.path = image.shown;
      snapshot.rank = *image.rank;
      snapshot.partial = image.partial;
    }
    if (image.flight.empty()) return file;
    file.flight = unpackedFlight(image.flight);
    if (!file.flight) return file;
    file.flight->entries.clear();
    file.flight->stacks = StackPool();
    return file;
  }

  // Of all ranks, with the rank that each was given.
  void takeDumps(const SideFiles& shells, std::vector<std::string>& rows, BesideFindings& found) {
    std::size_t bytes = 0;
    for (const FlightRecord& shell : shells.flightRecords) bytes += m_images.at(shell.path).flight.size();
    const bool isKept = bytes <= DigestBounds().dumpBytes;
    SideFiles side;
    side.unreadableDumps = shells.unreadableDumps;
    for (const FlightRecord& shell : shells.flightRecords) {
      auto record = unpackedFlight(std::exchange(m_images.at(shell.path).flight, {}));
      record->rank = shell.rank;
      if (isKept)
        m_work.flights.push_back(packedFlight(*record));
      else
        side.flightRecords.push_back(*std::move(record));
    }
    if (isKept) return;
    rows.push_back(sideRows(reportOf(side), DigestBounds().rows));
    found.findings = besideFindings(side).findings;
  }

  DigestWork& m_work;
  std::map<std::string, BesideImage, NaturalLess> m_images;
};

} // namespace

void readBeside(const DigestOptions& options, const JobFiles& files, DigestWork& work) {
  std::vector<std::string> parts;
  if (work.first())
    for (const auto& places : placesOf(files, work)) parts.push_back(packed(places));
  const auto own = unpacked<std::vector<BesidePlace>>(work.team.scatter(std::move(parts)));
  std::vector<BesideImage> images(own.size());
  parallelFor(images.size(), work.threads, [&](std::size_t i) { images[i] = imageOf(own[i]); });
  boundRows(images);
  Joined joined(work);
  for (const std::string& bytes : work.team.gather(packed(images)))
    joined.add(unpacked<std::vector<BesideImage>>(bytes));
  auto logs = options.local ? readLogs(files.logs, work.team) : nullptr;
  if (!work.first()) return;
  joined.finish();
  work.digest.ncclRecords = options.local ? std::move(logs) : networkInputOf(options.paths).records();
}

} // namespace rankscope
