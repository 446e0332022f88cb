// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/files/files_panel.h"

#include "core/base/unit_text.h"
#include "core/model/missing_part.h"
#include "core/report/tables.h"
#include "ui/base/counted.h"
#include "ui/base/file_names.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/tables/rank_columns.h"
#include "ui/widgets/tab_context.h"

#include <QScrollArea>
#include <QVBoxLayout>

#include <array>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr int kAroundChart = 100; // title and legend

// folder: the common prefix of all paths when they are displayed.
std::vector<ShownColumn> fileColumns(const std::shared_ptr<const QString>& folder) {
  return {
      {.source = "path",
       .title = tr("File"),
       .tip = tr("Relative to the common folder"),
       .display =
           [folder](const QString& path) {
             return path.startsWith(*folder) ? path.mid(folder->size()) : path;
           }},
      {.source = "rank", .title = tr("Rank")},
      captureColumn(),
      {.source = "rank_from",
       .title = tr("Rank source"),
       .tip = tr("Source of the rank: metadata, name, folder, content, or guess")},
      {.source = "host", .title = tr("Host"), .hide = Hide::AllEmpty},
      {.source = "bytes", .title = tr("Size"), .tip = tr("Size on disk")},
      {.source = "json_bytes", .title = tr("Uncompressed"), .tip = tr("Uncompressed size")},
      {.source = "events", .title = tr("Events")},
      {.source = "begin_us", .title = tr("Start"), .tip = tr("After the job's first event")},
      {.source = "end_us", .title = tr("End"), .tip = tr("After the job's first event")},
      {.source = "repaired",
       .title = tr("Repaired"),
       .tip = tr("Events loaded after a repair"),
       .hide = Hide::AllZero},
      {.source = "skipped",
       .title = tr("Skipped"),
       .tip = tr("Unreadable events, not loaded"),
       .hide = Hide::AllZero},
      {.source = "note", .title = tr("Note"), .hide = Hide::AllEmpty},
  };
}

QString kindTitle(const QString& kind) {
  return kind == QLatin1String("doubted") ? tr("suspicious") : kind;
}
std::vector<ShownColumn> diagnosticColumns() {
  return {
      {.source = "file", .title = tr("File")},
      {.source = "kind", .title = tr("Kind"), .display = kindTitle},
      {.source = "place", .title = tr("Location"), .tip = tr("Position in the (uncompressed) file")},
      {.source = "text", .title = tr("Description")},
  };
}

} // namespace

FilesPanel::FilesPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_time(new LaneChart(session)),
      m_timeCard(new ChartCard(tr("Recorded time"), m_time, session)) {
  m_files = new TableCard(tr("Files"), fileColumns(m_folder), session);
  m_files->setStretchColumn("path");
  m_diagnostics = new TableCard(tr("Repaired, skipped, suspicious"), diagnosticColumns(), session);
  m_diagnostics->setStretchColumn("text");
  m_files->setMemoryKey(settings, QStringLiteral("files.files"));
  m_diagnostics->setMemoryKey(settings, QStringLiteral("files.diagnostics"));

  auto* cards = new QWidget;
  cards->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(cards);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(16);
  column->addWidget(m_files, 4);
  column->addWidget(m_diagnostics, 3);
  column->addWidget(m_timeCard, 3);
  column->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setWidget(cards);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(scroll);

  setContents<Tables>(
      [](const Analysis& analysis) {
        return Tables{QString::fromStdString(FileNames(analysis.trace()).folder()),
                      analysis.trace().fileCount(), std::make_shared<const ResultTable>(filesTable(analysis)),
                      std::make_shared<const ResultTable>(diagnosticsTable(analysis.trace())),
                      recordedTime(analysis)};
      },
      [this](const std::shared_ptr<const Tables>& tables) { showTables(tables ? *tables : Tables()); });
  connect(m_time, &LaneChart::boxActivated, this, &FilesPanel::openRecording);
  showTables({});
}

void FilesPanel::showTables(const Tables& tables) {
  const QString waiting = tr("Computing …");
  *m_folder = tables.folder;
  m_files->setTable(tables.files, tables.files ? tr("No files found.") : waiting);
  m_files->setCaption(tables.files
                          ? counted(static_cast<qint64>(tables.fileCount), tr("1 file"), tr("%1 files"))
                          : QString());
  m_diagnostics->setTable(tables.diagnostics, tables.diagnostics
                                                  ? tr("Nothing repaired, skipped or suspicious: every event "
                                                       "of the loaded files was read as recorded.")
                                                  : waiting);
  // Cards are no higher than their rows need.
  constexpr int kFewRows = 5;
  for (TableCard* card : {m_files, m_diagnostics}) {
    card->setMinimumHeight(card->heightFor(kFewRows));
    card->setMaximumHeight(card->heightFor(std::numeric_limits<int>::max()));
  }
  m_recorded = tables.time;
  showTime();
}

// A single recording covers all there is.
void FilesPanel::showTime() {
  const LaneContents& contents = m_recorded.contents;
  m_timeCard->setVisible(m_recorded.recordingOfBox.size() > 1);
  m_time->setContents(contents);
  std::vector<LegendItem> legend{{tr("recorded"), &Theme::accent, false, false, 0.55}};
  if (m_recorded.missing) legend.push_back({tr("missing: the file is truncated"), &Theme::bad, true});
  m_timeCard->setLegend(std::move(legend));
  const auto lanes = static_cast<std::size_t>(contents.lanes.size());
  m_timeCard->setCaption(lanes < m_recorded.ranks
                             ? tr("%1 of %2 ranks, truncated ones first").arg(lanes).arg(m_recorded.ranks)
                             : QString(),
                         tr("double-click a bar to show it in the timeline"));
  m_timeCard->setLeastChartHeight(m_time->minimumSizeHint().height());
  m_timeCard->setMaximumHeight(m_time->largestHeight() + scaledToText(kAroundChart));
}

void FilesPanel::openRecording(int box) {
  if (box < 0 || static_cast<std::size_t>(box) >= m_recorded.recordingOfBox.size() || !analysis()) return;
  const RankIndex rank = m_recorded.recordingOfBox[static_cast<std::size_t>(box)];
  const TimeRange extent = analysis()->trace().rank(rank).trace->extent;
  m_session.revealPlace(rank, analysis()->clocks().of(rank).toJob(RankRange::of(extent)));
  emit timelineWanted();
}

namespace {

using DiagnosticKey = std::tuple<DiagnosticKind, std::string_view, std::string_view>;

DiagnosticKey keyOf(const Diagnostic& item) {
  return {item.kind, item.where, item.text};
}

// The recordings of one file, each with its diagnostics.
class DiagnosticRows {
 public:
  DiagnosticRows(std::vector<const FileRecord*> recordings, std::string name, ResultTable& table)
      : m_recordings(std::move(recordings)), m_name(std::move(name)), m_table(table) {
    for (const FileRecord* file : m_recordings) {
      std::set<DiagnosticKey> own;
      for (const Diagnostic& item : file->diagnostics.items()) own.insert(keyOf(item));
      for (const DiagnosticKey& key : own) ++m_recordingsWith[key];
    }
  }

  void add() {
    for (const FileRecord* file : m_recordings) addOf(*file);
  }

 private:
  static constexpr std::array<std::string_view, 3> kKinds{"repaired", "skipped", "doubted"};

  void addOf(const FileRecord& file) {
    std::array<std::uint64_t, kKinds.size()> listed{};
    for (const Diagnostic& item : file.diagnostics.items()) {
      ++listed[static_cast<std::size_t>(item.kind)];
      // What all of several recordings have is said once, of the file.
      const bool ofFile = m_recordings.size() > 1 && m_recordingsWith[keyOf(item)] == m_recordings.size();
      if (ofFile && &file != m_recordings.front()) continue;
      const std::string name = ofFile ? m_name : nameOf(file);
      if (const auto part = missingPartOf(item.text)) {
        const std::string text = fmt::format("{}. {}", part->first, part->second);
        m_table.addRow({Cell(std::string_view(name)), Cell(std::string_view("missing")), Cell(),
                        Cell(std::string_view(text))});
        continue;
      }
      m_table.addRow({Cell(std::string_view(name)), Cell(kKinds[static_cast<std::size_t>(item.kind)]),
                      Cell(std::string_view(item.where)), Cell(std::string_view(item.text))});
    }
    const std::string name = nameOf(file);
    // What was read as recorded, but is of a rank that is a guess, or of clocks that were shifted; and why
    // other files were not loaded.
    const bool shown = file.status == FileStatus::Shown;
    const bool told = !file.note.empty() && file.diagnostics.items().empty();
    if (told && file.status != FileStatus::Beside && (!shown || file.rank))
      m_table.addRow({Cell(std::string_view(name)), Cell(std::string_view(shown ? "note" : "not loaded")),
                      Cell(), Cell(std::string_view(file.note))});
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      const std::uint64_t all = file.diagnostics.count(static_cast<DiagnosticKind>(kind));
      if (all <= listed[kind]) continue;
      const std::string more =
          FilesPanel::tr("and %1 more")
              .arg(QString::fromStdString(groupedText(static_cast<std::int64_t>(all - listed[kind]))))
              .toStdString();
      m_table.addRow(
          {Cell(std::string_view(name)), Cell(kKinds[kind]), Cell(), Cell(std::string_view(more))});
    }
  }

  [[nodiscard]] std::string nameOf(const FileRecord& file) const {
    return m_recordings.size() > 1 && file.rank ? fmt::format("{} · rank {}", m_name, *file.rank) : m_name;
  }

  std::vector<const FileRecord*> m_recordings;
  std::string m_name;
  ResultTable& m_table;
  std::map<DiagnosticKey, std::size_t> m_recordingsWith;
};

} // namespace

ResultTable diagnosticsTable(const TraceSet& traces) {
  ResultTable table(
      "diagnostics",
      {{"file", Unit::Text}, {"kind", Unit::Text}, {"place", Unit::Text}, {"text", Unit::Text}});
  const FileNames names(traces);
  std::map<std::string_view, std::vector<const FileRecord*>> byPath;
  for (const FileRecord& file : traces.files()) byPath[file.path].push_back(&file);
  for (const FileRecord& file : traces.files()) {
    const std::vector<const FileRecord*>& recordings = byPath.at(file.path);
    if (recordings.front() == &file) DiagnosticRows(recordings, names.of(file.path), table).add();
  }
  return table;
}

namespace tabs {

TabPage* files(const TabContext& context) {
  return new FilesPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
