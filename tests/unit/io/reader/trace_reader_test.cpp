// SPDX-License-Identifier: GPL-3.0-or-later
// A format that is no JSON, has no byte offsets and holds several ranks in one file: whatever stands right of
// the readers takes it as it takes Kineto's. Covers what it hands over: core/model/file_events,
// core/model/slice_events, core/model/source_ref, core/model/detail_source.
#include "core/io/reader/trace_reader.h"

#include "core/report/job_totals.h"
#include "tests/support/trace_text.h"
#include "tests/unit/io/cache/cached_job.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace rankscope::test {
namespace {

// A line "rank N" begins a recording, "rank ?" one of an unknown rank. Every other line is an event of it:
//   op BEGIN DURATION NAME SHAPES   (of the host)
//   kernel BEGIN DURATION NAME LAUNCH
// A SourceRef is the number of the line, from 1.
class LineReader final : public TraceReader {
 public:
  static constexpr std::string_view kMagic = "lines\n";

  [[nodiscard]] std::string_view format() const override { return "lines"; }
  [[nodiscard]] std::span<const std::string_view> nameEndings() const override { return kEndings; }
  [[nodiscard]] FormatMatch match(const FileBytes& file) const override {
    return textOf(file).starts_with(kMagic) ? FormatMatch::Yes : FormatMatch::No;
  }

  [[nodiscard]] Result<FileReading> read(const FileBytes& file, ReadContext& context) const override {
    FileReading reading;
    reading.textBytes = file.bytes().size();
    std::istringstream lines{std::string(textOf(file))};
    std::uint64_t number = 0;
    for (std::string line; std::getline(lines, line);) take(line, SourceRef(++number), reading.recordings);
    context.progress.bytesDone += file.bytes().size();
    if (reading.recordings.empty()) return Error{ErrorKind::NotATrace, "no rank", file.path(), std::nullopt};
    for (FileEvents& recording : reading.recordings)
      context.progress.eventsDone += recording.slices.front().objects;
    return reading;
  }

  [[nodiscard]] std::shared_ptr<const DetailSource> details(const std::string& path,
                                                            std::size_t recording) const override;

  [[nodiscard]] FileSample sample(const FileBytes& file, const LoadFilter&) const override {
    const auto bytes = static_cast<double>(file.bytes().size());
    return {bytes, bytes / 20, 0, 0, 0, false};
  }
  [[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const FileBytes&,
                                                             const std::atomic<bool>&) const override {
    return LoadFilter::Steps{3, 4};
  }

 private:
  static constexpr std::array<std::string_view, 1> kEndings{".lines"};

  static std::string_view textOf(const FileBytes& file) { return {file.bytes().data(), file.bytes().size()}; }

  static void take(const std::string& line, SourceRef at, std::vector<FileEvents>& recordings) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind;
    if (kind == "rank") {
      FileEvents& recording = recordings.emplace_back();
      int rank = 0;
      if (words >> rank) recording.metadata.rank = rank;
      recording.placeText = [](SourceRef of) { return "line " + std::to_string(of.readerBits()); };
      recording.tables.push_back(std::make_unique<ReaderTables>());
      recording.slices.emplace_back();
      return;
    }
    if (recordings.empty()) return;
    SliceEvents& slice = recordings.back().slices.front();
    ReaderTables& tables = *recordings.back().tables.front();
    ++slice.objects;
    RawEvent event{};
    if (!(words >> event.begin >> event.duration >> name)) {
      slice.diagnostics.add(DiagnosticKind::Skipped, at, "no event");
      return;
    }
    const bool kernel = kind == "kernel";
    event.setSource(at);
    event.kind = static_cast<std::uint8_t>(kernel ? EventKind::Kernel : EventKind::CpuOp);
    event.name = tables.names.intern(name).value;
    if (event.name == tables.nameFirstAt.size()) tables.nameFirstAt.push_back(at);
    event.track = trackOf(tables, kernel);
    if (kernel) {
      event.link = static_cast<std::uint32_t>(slice.device.size());
      slice.device.push_back({.stream = 7, .device = 0});
    }
    slice.events.push_back(event);
  }

  static std::uint32_t trackOf(ReaderTables& tables, bool kernel) {
    const auto next = static_cast<std::uint32_t>(tables.tracks.size());
    const auto [found, isNew] = tables.trackByKey.try_emplace(kernel ? "stream" : "thread", next);
    if (isNew && kernel) tables.tracks.push_back({"0", "7", TrackKind::Stream, 0});
    if (isNew && !kernel) tables.tracks.push_back({"100", "100", TrackKind::Thread});
    return found->second;
  }
};

class LineDetails final : public DetailSource {
 public:
  explicit LineDetails(std::string path, std::size_t recording)
      : m_path(std::move(path)), m_recording(recording) {}

  [[nodiscard]] Result<std::vector<EventField>> fields(SourceRef event) const override {
    return std::vector<EventField>{{"line", lineAt(event)}, {"recording", std::to_string(m_recording)}};
  }
  [[nodiscard]] std::optional<Error> arguments(std::span<const SourceRef> events, EventArgument wanted,
                                               const std::function<void(std::size_t, std::string_view)>& take,
                                               const Progress*) const override {
    const std::string_view kind = wanted == EventArgument::InputShapes   ? "op "
                                  : wanted == EventArgument::LaunchShape ? "kernel "
                                                                         : "nothing";
    for (std::size_t i = 0; i < events.size(); ++i) {
      const std::string line = lineAt(events[i]);
      if (line.starts_with(kind)) take(i, std::string_view(line).substr(line.rfind(' ') + 1));
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::string lineAt(SourceRef event) const {
    std::istringstream lines(contentOf(m_path));
    std::string line;
    for (std::uint64_t i = 0; i < event.readerBits(); ++i) std::getline(lines, line);
    return line;
  }

  std::string m_path;
  std::size_t m_recording;
};

std::shared_ptr<const DetailSource> LineReader::details(const std::string& path,
                                                        std::size_t recording) const {
  return std::make_shared<const LineDetails>(path, recording);
}

constexpr TimeNs kBegin = 1'700'000'000'000'000'000;

std::string event(const char* kind, TimeNs begin, TimeNs duration, const std::string& rest) {
  return std::string(kind) + ' ' + std::to_string(kBegin + begin) + ' ' + std::to_string(duration) + ' ' +
         rest + '\n';
}

// Two ranks whose events differ.
std::string twoRanks(const std::string& first, const std::string& second) {
  return std::string(LineReader::kMagic) + "rank " + first + '\n' + event("op", 0, 900, "mm [[2,3]]") +
         event("kernel", 100, 300, "gemm_a 8x1") + "rank " + second + '\n' +
         event("op", 50, 950, "add [[4]]") + event("kernel", 100, 500, "gemm_b 16x1") +
         event("kernel", 700, 100, "gemm_a 32x2");
}

class SecondFormat : public CachedJobTest {
 protected:
  SecondFormat() { m_options.readers = &m_readers; }

  void file(const std::string& name, const std::string& text) const { write(jobFolder() / name, text); }

  const LineReader m_lines;
  const TraceReaders m_readers{&m_lines, *std::ranges::find(traceReaders(), "kineto", &TraceReader::format)};
};

std::set<int> ranksOf(const TraceSet& traces) {
  std::set<int> ranks;
  for (const RankEntry& entry : traces.ranks()) ranks.insert(entry.rank);
  return ranks;
}

std::string fieldOf(const RankEntry& entry, EventIndex event, std::string_view key) {
  const auto fields = entry.details->fields(entry.trace->events.source[event]);
  EXPECT_TRUE(fields);
  for (const EventField& field : *fields) {
    if (field.key == key) return field.value;
  }
  return {};
}

} // namespace

TEST_F(SecondFormat, givesEveryRankOfAFile) {
  file("node.lines", twoRanks("3", "5"));
  const auto traces = load();
  ASSERT_EQ(traces->ranks().size(), 2U);
  EXPECT_EQ(ranksOf(*traces), (std::set<int>{3, 5}));
  const RankEntry& three = traces->ranks()[0];
  const RankEntry& five = traces->ranks()[1];
  EXPECT_EQ(three.trace->events.size(), 2U);
  EXPECT_EQ(five.trace->events.size(), 3U);
  // A row for each in the table of files, which is one file all the same.
  ASSERT_EQ(traces->files().size(), 2U);
  const std::uint64_t bytes = twoRanks("3", "5").size();
  for (const RankEntry& entry : traces->ranks()) {
    const FileRecord& record = traces->file(entry.file);
    EXPECT_EQ(record.path, (jobFolder() / "node.lines").string());
    EXPECT_EQ(record.format, "lines");
    EXPECT_EQ(record.rank, entry.rank);
    EXPECT_EQ(record.rankFrom, "metadata");
    EXPECT_EQ(record.bytes, bytes);
    EXPECT_EQ(record.extent, entry.trace->extent);
  }
  EXPECT_EQ(traces->file(three.file).recording, 0U);
  EXPECT_EQ(traces->file(five.file).recording, 1U);
  EXPECT_EQ(traces->textBytes(), bytes);
  EXPECT_EQ(traces->shownBytes(), bytes);
  EXPECT_EQ(traces->fileCount(), 1U);
  const Analysis analysis(traces);
  const JobTotals totals = jobTotals(analysis);
  EXPECT_EQ(totals.bytes, bytes);
  EXPECT_EQ(totals.textBytes, bytes);
  EXPECT_EQ(totals.filesRead, 1U);
  EXPECT_EQ(totals.distinctRanks, 2);
  EXPECT_EQ(analysis.statistics(RankIndex(std::size_t{0})).gpuBusy, 300);
  EXPECT_EQ(analysis.statistics(RankIndex(std::size_t{1})).gpuBusy, 600);
}

TEST_F(SecondFormat, isAskedForDetailsWithoutAPlaceInAText) {
  file("node.lines", twoRanks("0", "1"));
  const auto traces = load();
  ASSERT_EQ(traces->ranks().size(), 2U);
  for (const RankEntry& entry : traces->ranks()) {
    const EventColumns& events = entry.trace->events;
    std::vector<SourceRef> sources;
    for (EventIndex e(0); e.value < events.size(); ++e.value) {
      sources.push_back(events.source[e]);
      const std::string line = fieldOf(entry, e, "line");
      EXPECT_NE(line.find(' ' + std::string(traces->names()[events.name[e]]) + ' '), std::string::npos);
      EXPECT_NE(line.find(' ' + std::to_string(events.begin[e]) + ' '), std::string::npos) << line;
      EXPECT_EQ(fieldOf(entry, e, "recording"), std::to_string(entry.rank));
    }
    std::ranges::sort(sources);
    std::string reported;
    const auto take = [&](std::size_t, std::string_view text) { reported.append(text).append(";"); };
    EXPECT_FALSE(entry.details->arguments(sources, EventArgument::InputShapes, take));
    EXPECT_FALSE(entry.details->arguments(sources, EventArgument::LaunchShape, take));
    EXPECT_EQ(reported, entry.rank == 0 ? "[[2,3]];8x1;" : "[[4]];16x1;32x2;");
  }
}

// The name of a file that holds two ranks says of neither which it is.
TEST_F(SecondFormat, recordingsOfAFileAreNeverOneRank) {
  file("rank7.lines", twoRanks("?", "?"));
  const auto traces = load();
  EXPECT_EQ(traces->ranks().size(), 2U);
  EXPECT_EQ(ranksOf(*traces), (std::set<int>{0, 1}));
  for (const RankEntry& entry : traces->ranks()) EXPECT_EQ(entry.capture, 1);
  EXPECT_EQ(traces->file(traces->ranks()[0].file).recording, 0U);
}

TEST_F(SecondFormat, namesOfOneFileAreNumberedByRecordingWhateverTheNumberOfThreads) {
  file("a.lines", twoRanks("0", "1"));
  file("b.lines", twoRanks("2", "3"));
  LoadOptions options = m_options;
  options.cache.reset();
  options.threadCount = 1;
  const auto one = load({jobFolder().string()}, options);
  EXPECT_EQ(ranksOf(*one), (std::set<int>{0, 1, 2, 3}));
  options.threadCount = 4;
  const auto four = load({jobFolder().string()}, options);
  EXPECT_TRUE(imageOf(*one, m_folder) == imageOf(*four, m_folder));
}

TEST_F(SecondFormat, standsBesideKinetosFilesInOneJob) {
  TraceText text;
  text.distributedInfo(2, 3).baseTime(kBegin).addKernel(0, 7, 0, 5, "gemm_c");
  writeTraceFile(jobFolder() / "rank2.json", text.text());
  file("node.lines", twoRanks("0", "1"));
  const auto traces = load();
  EXPECT_EQ(ranksOf(*traces), (std::set<int>{0, 1, 2}));
  for (const RankEntry& entry : traces->ranks())
    EXPECT_EQ(traces->file(entry.file).format, entry.rank == 2 ? "kineto" : "lines");
}

TEST_F(SecondFormat, whatIsDamagedIsReportedByThePlaceThatItsReaderKnows) {
  file("node.lines", twoRanks("0", "1") + "op oops\n");
  const auto traces = load();
  ASSERT_EQ(traces->ranks().size(), 2U);
  const FileRecord& first = traces->file(traces->ranks()[0].file);
  const FileRecord& second = traces->file(traces->ranks()[1].file);
  EXPECT_EQ(first.skipped, 0U);
  EXPECT_EQ(second.skipped, 1U);
  EXPECT_NE(second.note.find("line 9: no event"), std::string::npos) << second.note;
}

TEST_F(SecondFormat, isKeptInTheCacheWithItsDetails) {
  file("node.lines", twoRanks("3", "5"));
  const auto read = loadAndKeep();
  const auto kept = load();
  ASSERT_TRUE(kept->origin().cached);
  EXPECT_EQ(tablesOf(kept), tablesOf(read));
  const RankEntry& five = kept->ranks()[1];
  EXPECT_EQ(fieldOf(five, EventIndex(0), "recording"), "1");
  // Whoever does not know the format any more could not be asked for details.
  const CheckedFile file = [&] {
    CheckedFile of;
    imageOf(*read, m_folder);
    EXPECT_EQ(CheckedFile::open(m_folder / "image", 1, of), CheckedFileState::Whole);
    EXPECT_TRUE(of.verify(1, [](std::uint64_t) { return true; }));
    return of;
  }();
  const auto with = [&](const TraceReaders& readers) {
    return readTraceImage(file, {}, 1, [&](const FileRecord& record) { return detailsOf(record, readers); });
  };
  EXPECT_NE(with(m_readers), nullptr);
  EXPECT_EQ(with(traceReaders()), nullptr);
}

TEST_F(SecondFormat, isFoundByItsNameInFoldersAndByItsBytesWhenGiven) {
  file("node.lines", twoRanks("0", "1"));
  file("other.txt", twoRanks("2", "3"));
  const std::vector<std::string> folder{jobFolder().string()};
  EXPECT_EQ(discoverTraceFiles(folder, m_readers).files.size(), 1U);
  EXPECT_TRUE(discoverTraceFiles(folder).files.empty());
  EXPECT_EQ(searchedNames(m_readers), "*.lines, *.json, *.json.gz");
  EXPECT_EQ(ranksOf(*load({(jobFolder() / "other.txt").string()}, m_options)), (std::set<int>{2, 3}));
  EXPECT_EQ(stepNumbers((jobFolder() / "other.txt").string(), false, m_readers), (LoadFilter::Steps{3, 4}));
  // Kineto's reader takes whatever nobody knows, and says what is wrong with it.
  LoadOptions known = m_options;
  known.readers = nullptr;
  Progress progress;
  const auto refused = loadTraces({(jobFolder() / "other.txt").string()}, known, progress);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("not a trace but text"), std::string::npos);
}

} // namespace rankscope::test
