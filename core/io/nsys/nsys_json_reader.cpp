// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_json_reader.h"

#include "core/io/files/temporary_folders.h"
#include "core/io/json/json_text.h"
#include "core/io/nsys/nsys_details.h"
#include "core/io/nsys/nsys_json_lines.h"
#include "core/io/nsys/nsys_json_tables.h"
#include "core/io/nsys/nsys_reader.h"
#include "core/io/nsys/nsys_steps.h"
#include "core/io/nsys/nsys_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 1> kLinesEndings{".jsonl"};
// Rowids are offsets: so many bytes hold about as many events as a piece of a table.
constexpr std::int64_t kBytesAtOnce = std::int64_t{1} << 25;
constexpr std::size_t kSampleBytes = std::size_t{1} << 20;

std::string_view textOf(const FileBytes& file) {
  return {file.bytes().data(), file.bytes().size()};
}

// The tables made from a file, in a folder that is removed with this.
class MadeTables {
 public:
  static Result<MadeTables> of(const FileBytes& file, const std::atomic<bool>& cancel,
                               const std::function<void(std::uint64_t)>& done) {
    MadeTables made;
    auto folder = newTemporaryFolder("rankscope-nsys");
    if (!folder) return folder.error();
    made.m_folder = std::move(folder).value();
    auto counts = writeLinesAsTables(textOf(file), made.path(), cancel, done);
    if (!counts) {
      Error error = counts.error();
      error.file = file.path();
      return error;
    }
    made.m_counts = *counts;
    return made;
  }
  MadeTables(MadeTables&& other) noexcept
      : m_folder(std::exchange(other.m_folder, {})), m_counts(other.m_counts) {}
  MadeTables& operator=(MadeTables&&) = delete;
  ~MadeTables() {
    std::error_code ignored;
    if (!m_folder.empty()) std::filesystem::remove_all(m_folder, ignored);
  }
  [[nodiscard]] std::string path() const { return m_folder + "/events.sqlite"; }
  [[nodiscard]] const NsysJsonCounts& counts() const { return m_counts; }

 private:
  MadeTables() = default;

  std::string m_folder;
  NsysJsonCounts m_counts;
};

// The same report as an SQLite file, which has more.
std::optional<std::string> betterExport(const std::string& path) {
  for (const char* const ending : {".sqlite", ".sqlite3", ".db"}) {
    std::filesystem::path sibling(path);
    sibling.replace_extension(ending);
    std::error_code failed;
    if (std::filesystem::is_regular_file(sibling, failed)) return sibling.filename().string();
  }
  return std::nullopt;
}

class JsonDetails final : public DetailSource {
 public:
  explicit JsonDetails(std::string path) : m_path(std::move(path)) {}

  [[nodiscard]] Result<std::vector<EventField>> fields(SourceRef event) const override {
    const auto file = FileBytes::open(m_path);
    if (!file) return file.error();
    const std::string_view text = textOf(*file);
    NsysJsonLine line;
    if (!lineAt(text, event, line))
      return Error{ErrorKind::Format, "no event stands at this place: the file has changed", m_path,
                   std::nullopt};
    const NsysTable table = tableOf(event);
    std::vector<EventField> fields;
    fields.push_back({"table", std::string(nsysTable(table).name)});
    const std::map<std::int64_t, std::string> names = namesOf(line, text);
    for (const NsysJsonLine::Member& member : line.members()) {
      std::string value = displayText(unescaped(insideQuotes(member.token)));
      if (isName(member.key))
        if (const auto id = signedFromToken(member.token))
          if (const auto name = names.find(*id); name != names.end()) value = displayText(name->second);
      const bool known = member.key == "startns" || member.key == "endns" || member.key == "timestamp";
      const bool bytes = member.key == "sizebytes";
      fields.push_back({std::string(member.key), std::move(value),
                        bytes ? FieldMeaning::Bytes : FieldMeaning::Plain, known});
    }
    if (table == NsysTable::Kernel) {
      fields.push_back({"grid", triple(line, "grid"), FieldMeaning::Shape, false});
      fields.push_back({"block", triple(line, "block"), FieldMeaning::Shape, false});
    }
    const std::string range = unescaped(insideQuotes(line.token({"text"})));
    const OperatorText parts = operatorText(range);
    if (parts.sequence) fields.push_back({"Sequence number", std::to_string(*parts.sequence)});
    if (!parts.sizes.empty())
      fields.push_back({"Input Dims", displayText(parts.sizes), FieldMeaning::Shapes, false});
    return fields;
  }

  [[nodiscard]] std::optional<Error> arguments(std::span<const SourceRef> events, EventArgument wanted,
                                               const std::function<void(std::size_t, std::string_view)>& take,
                                               const Progress* progress) const override {
    const auto file = FileBytes::open(m_path);
    if (!file) return file.error();
    const std::string_view text = textOf(*file);
    NsysJsonLine line;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (progress != nullptr && progress->cancelled()) return std::nullopt;
      if (!lineAt(text, events[i], line)) continue;
      const std::string value = argumentOf(line, tableOf(events[i]), wanted);
      if (!value.empty()) take(i, value);
    }
    return std::nullopt;
  }

 private:
  static bool isName(std::string_view key) {
    return key == "name" || key == "nameid" || key == "textid" || key.ends_with("name");
  }

  static bool lineAt(std::string_view text, SourceRef event, NsysJsonLine& line) {
    const auto at = static_cast<std::size_t>(rowidOf(event));
    if (at >= text.size()) return false;
    return line.read(text.substr(at, text.substr(at).find('\n')), text) &&
           tableOfLine(line) == tableOf(event);
  }

  static std::map<std::int64_t, std::string> namesOf(const NsysJsonLine& line, std::string_view text) {
    std::set<std::int64_t> wanted;
    for (const NsysJsonLine::Member& member : line.members())
      if (const auto id = signedFromToken(member.token); id && isName(member.key)) wanted.insert(*id);
    return stringsOfLines(text, wanted);
  }

  static std::string triple(const NsysJsonLine& line, std::string_view what) {
    std::string text = "[";
    for (const char* const axis : {"x", "y", "z"}) {
      const std::string key = std::string(what) + axis;
      text.append(text.size() == 1 ? "" : ", ").append(std::to_string(line.integer({std::string_view(key)})));
    }
    return text += ']';
  }

  static std::string argumentOf(const NsysJsonLine& line, NsysTable table, EventArgument wanted) {
    if (wanted == EventArgument::LaunchShape)
      return table == NsysTable::Kernel ? triple(line, "grid").append(" · ").append(triple(line, "block"))
                                        : std::string();
    if (table != NsysTable::Nvtx || wanted == EventArgument::CallStack) return {};
    return argumentOfRange(unescaped(insideQuotes(line.token({"text"}))), wanted);
  }

  std::string m_path;
};

} // namespace

std::span<const std::string_view> NsysJsonReader::nameEndings() const {
  return kLinesEndings;
}

FormatMatch NsysJsonReader::match(const FileBytes& file) const {
  return isNsysJsonLines(textOf(file)) ? FormatMatch::Yes : FormatMatch::No;
}

Result<FileReading> NsysJsonReader::read(const FileBytes& file, ReadContext& context) const {
  const std::uint64_t bytes = file.bytes().size(), half = bytes / 2;
  if (const auto better = betterExport(file.path())) {
    context.progress.bytesDone += bytes;
    return Error{ErrorKind::NotATrace, "JSON lines of the export " + *better + "; not read", file.path(),
                 std::nullopt};
  }
  std::uint64_t told = 0;
  auto made = MadeTables::of(file, context.progress.cancel, [&](std::uint64_t more) {
    const std::uint64_t part = std::min(more / 2, half - told);
    told += part;
    context.progress.bytesDone += part;
  });
  if (!made) return made.error();
  auto reading = readNsysExport({file, made->path(), bytes - told, kBytesAtOnce, true}, context);
  if (!reading) return reading.error();
  Diagnostics& diagnostics = reading->recordings.front().diagnostics;
  const NsysJsonCounts& counts = made->counts();
  if (counts.damaged > 0)
    diagnostics.add(DiagnosticKind::Skipped, SourceRef(),
                    std::to_string(counts.damaged) + " lines are no JSON; the first is at byte " +
                        std::to_string(counts.firstDamaged));
  if (counts.unused > 0)
    diagnostics.add(DiagnosticKind::Suspicious, SourceRef(),
                    std::to_string(counts.unused) + " lines of kinds that are not imported");
  return reading;
}

std::shared_ptr<const DetailSource> NsysJsonReader::details(const std::string& path, std::size_t) const {
  return std::make_shared<const JsonDetails>(path);
}

FileSample NsysJsonReader::sample(const FileBytes& file, const LoadFilter&) const {
  FileSample sample;
  sample.textBytes = static_cast<double>(file.bytes().size());
  const std::string_view text = textOf(file);
  // The end of the file may be its string table; its middle is events.
  const std::size_t from = text.size() > 2 * kSampleBytes ? text.size() / 2 : 0;
  const std::string_view part = text.substr(from, kSampleBytes);
  double events = 0, device = 0;
  eachLine(part, [&](std::uint64_t, std::string_view line) {
    const bool isDevice = line.find("\"CudaEvent\"") != line.npos;
    device += isDevice ? 1 : 0;
    events += isDevice || line.find("Event\"") != line.npos ? 1 : 0;
    return true;
  });
  const double times = part.empty() ? 0 : sample.textBytes / static_cast<double>(part.size());
  sample.entries = sample.events = events * times;
  sample.deviceEvents = device * times;
  return sample;
}

std::optional<LoadFilter::Steps> NsysJsonReader::stepNumbers(const FileBytes& file,
                                                             const std::atomic<bool>& cancel) const {
  if (!isNsysJsonLines(textOf(file))) return std::nullopt;
  const auto made = MadeTables::of(file, cancel, [](std::uint64_t) {});
  if (!made) return std::nullopt;
  const auto database = SqliteFile::open(made->path(), &cancel);
  if (!database) return std::nullopt;
  const NsysSteps steps = nsysSteps(*database, readExport(*database), cancel);
  return cancel.load() ? std::nullopt : steps.numbers();
}

} // namespace rankscope
