// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_reader.h"

#include "core/io/nsys/nsys_details.h"
#include "core/io/nsys/nsys_recordings.h"
#include "core/io/nsys/nsys_report.h"
#include "core/io/nsys/nsys_slices.h"
#include "core/io/nsys/nsys_steps.h"
#include "core/io/reader/steps_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 6> kNameEndings{".sqlite",   ".sqlite3", ".db",
                                                       ".nsys-rep", ".qdrep",   ".qdstrm"};

std::string_view startOfBytes(const FileBytes& file) {
  constexpr std::size_t kLength = 256;
  return {file.bytes().data(), std::min(kLength, file.bytes().size())};
}

Error notATrace(const FileBytes& file, std::string why) {
  return {ErrorKind::NotATrace, std::move(why), file.path(), std::nullopt};
}

// An SQLite database that is no export, with some of its tables.
std::string otherDatabase(const SqliteFile& file) {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<std::string> names = file.tableNames();
  if (names.empty()) return "not a trace but an SQLite database without tables";
  std::string text = "not a trace but an SQLite database with the tables ";
  for (std::size_t i = 0; i < std::min(kMostNamed, names.size()); ++i)
    text.append(i == 0 ? "" : ", ").append(displayText(names[i]));
  if (names.size() > kMostNamed)
    text.append(" and ").append(std::to_string(names.size() - kMostNamed)).append(" more");
  return text += "; open it with sqlite3";
}

// A journal beside a database means that its writer has not finished.
bool isBeingWritten(const std::string& path) {
  return std::ranges::any_of(std::array{"-wal", "-journal"}, [&](const char* ending) {
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(path + ending, failed);
    return !failed && bytes > 0;
  });
}

struct ChosenPart {
  NsysFilter filter;
  std::string remark; // about steps; empty if there is nothing to say
};

// Why there are no events.
Error withoutEvents(const FileBytes& file, const NsysExport& facts) {
  std::string why = facts.fileDamage;
  for (const auto* const reasons : {&facts.damage, &facts.lacks}) {
    if (why.empty() && !reasons->empty()) why = reasons->front();
  }
  if (!why.empty())
    return {ErrorKind::Format, "an Nsight Systems export of which no event can be read: " + why, file.path(),
            std::nullopt};
  return notATrace(file, "an Nsight Systems export without events: record with --trace=cuda,nvtx,osrt, and "
                         "start the program with nsys");
}

ChosenPart chosenPart(const LoadFilter& filter, const SqliteFile& file, const NsysExport& facts,
                      const std::atomic<bool>& cancel) {
  ChosenPart chosen;
  chosen.filter.skipCpuOps = filter.skipCpuOps;
  if (!filter.steps) return chosen;
  const NsysSteps steps = nsysSteps(file, facts, cancel);
  chosen.filter.window = steps.window(*filter.steps);
  chosen.filter.ofProcess = steps.windows(*filter.steps);
  if (!chosen.filter.window) {
    chosen.remark = unmarkedStepsText("NVTX range", *filter.steps, steps.numbers());
  } else if (steps.numberedByOrder) {
    chosen.remark = "loaded " + stepsText(*filter.steps) +
                    " by their order in the file, because their ranges have no numbers; the loaded ones "
                    "are numbered from 0";
  }
  return chosen;
}

} // namespace

std::span<const std::string_view> NsysReader::nameEndings() const {
  return kNameEndings;
}

FormatMatch NsysReader::match(const FileBytes& file) const {
  const std::string_view start = startOfBytes(file);
  return isSqlite(start) || isNsysReport(start) ? FormatMatch::Yes : FormatMatch::No;
}

Result<FileReading> NsysReader::read(const FileBytes& file, ReadContext& context) const {
  const std::uint64_t bytes = file.bytes().size();
  const std::string_view start = startOfBytes(file);
  if (isNsysReport(start)) {
    context.progress.bytesDone += bytes;
    return notATrace(file, reportMessage(file.path(), start));
  }
  return readNsysExport({file, file.path(), bytes, m_rowsAtOnce, false}, context);
}

Result<FileReading> readNsysExport(const NsysSource& source, ReadContext& context) {
  const FileBytes& file = source.file;
  const auto give = [&](Error error) {
    context.progress.bytesDone += source.bytes;
    return error;
  };
  auto database = SqliteFile::open(source.tables, &context.progress.cancel);
  if (!database) return give(database.error());
  if (!isNsysExport(*database)) return give(notATrace(file, otherDatabase(*database)));
  NsysExport facts = readExport(*database);
  facts.jsonLines = source.jsonLines;
  const auto [filter, remark] = chosenPart(context.filter, *database, facts, context.progress.cancel);
  const std::vector<NsysPiece> pieces = nsysPieces(*database, file.bytes().size(), source.rowsAtOnce);
  if (pieces.empty()) return give(withoutEvents(file, facts));
  Result<NsysTables> tables = readNsysTables(source.tables, facts, pieces, filter, source.bytes, context);
  if (!tables) return tables.error();
  FileReading reading;
  reading.textBytes = file.bytes().size();
  reading.recordings =
      nsysRecordings(std::move(tables).value(), facts, *database, filter, context.threadCount());
  if (reading.recordings.empty()) return withoutEvents(file, facts);
  Diagnostics& diagnostics = reading.recordings.front().diagnostics;
  if (!remark.empty()) diagnostics.add(DiagnosticKind::Suspicious, SourceRef(), remark);
  if (isBeingWritten(file.path()))
    diagnostics.add(DiagnosticKind::Suspicious, SourceRef(),
                    "a journal stands beside the file: the export is still running or was broken off");
  if (const auto change = file.change()) diagnostics.add(change->kind, SourceRef(), change->text);
  return reading;
}

std::shared_ptr<const DetailSource> NsysReader::details(const std::string& path, std::size_t) const {
  return nsysDetails(path);
}

FileSample NsysReader::sample(const FileBytes& file, const LoadFilter&) const {
  FileSample sample;
  sample.textBytes = static_cast<double>(file.bytes().size());
  if (!isSqlite(startOfBytes(file))) return sample;
  const auto database = SqliteFile::open(file.path());
  if (!database) return sample;
  const double most = sample.textBytes / 4;
  for (const NsysTableSpec& spec : nsysTables()) {
    const SqliteTable* const table = database->table(spec.name);
    if (table == nullptr) continue;
    const SqliteFile::RowRange rows = database->rowsOf(*table);
    if (rows.empty()) continue;
    const double count = std::min(static_cast<double>(rows.last) - static_cast<double>(rows.first) + 1, most);
    if (spec.table == NsysTable::GpuMetrics || spec.table == NsysTable::CudaEvent ||
        spec.table == NsysTable::MemoryUsage)
      continue;
    sample.entries += count;
    sample.events += count;
    if (spec.table <= NsysTable::Decompress) sample.deviceEvents += count;
  }
  return sample;
}

std::optional<LoadFilter::Steps> NsysReader::stepNumbers(const FileBytes& file,
                                                         const std::atomic<bool>& cancel) const {
  if (!isSqlite(startOfBytes(file))) return std::nullopt;
  const auto database = SqliteFile::open(file.path(), &cancel);
  if (!database || !isNsysExport(*database)) return std::nullopt;
  const NsysSteps steps = nsysSteps(*database, readExport(*database), cancel);
  return cancel.load() ? std::nullopt : steps.numbers();
}

} // namespace rankscope
