// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/files_panel.h"

#include "core/base/unit_text.h"
#include "ui/counted.h"
#include "ui/file_names.h"

#include <QApplication>
#include <QScrollArea>
#include <QVBoxLayout>

#include <array>
#include <limits>
#include <string>
#include <utility>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return FilesPanel::tr(text);
}

std::vector<ShownColumn> rankColumns() {
  return {
      {.source = "rank", .title = tr("Rank")},
      {.source = "capture",
       .title = tr("Capture"),
       .tip = tr("Profiling cycle of the rank, in order of time"),
       .hide = Hide::AllSame},
      {.source = "host", .title = tr("Host"), .hide = Hide::AllEmpty},
      {.source = "gpu", .title = tr("GPU"), .hide = Hide::AllEmpty},
      {.source = "clock_offset_us",
       .title = tr("Clock"),
       .tip = tr("How far the rank's clock is ahead of the first rank's; corrected in the timeline"),
       .hide = Hide::AllSame},
      {.source = "clock_residual_us",
       .title = tr("Clock within"),
       .tip = tr("95 % of its ends of blocking collectives lie within this of the median rank's"),
       .hide = Hide::AllEmpty},
      {.source = "world_size",
       .title = tr("World"),
       .tip = tr("Ranks of the whole job, as recorded"),
       .hide = Hide::AllEmpty},
      {.source = "steps", .title = tr("Steps")},
      {.source = "events", .title = tr("Events")},
      {.source = "step_mean_us",
       .title = tr("Step"),
       .tip = tr("Mean duration of the steps, with their device work"),
       .hide = Hide::AllEmpty},
      {.source = "gpu_span_us",
       .title = tr("GPU span"),
       .tip = tr("From the first to the last device activity"),
       .hide = Hide::AllEmpty},
      {.source = "compute_us",
       .title = tr("Compute"),
       .tip = tr("Time with a kernel running, over all streams"),
       .hide = Hide::AllEmpty},
      {.source = "communication_us",
       .title = tr("Comm"),
       .tip = tr("Time with a collective running"),
       .hide = Hide::AllEmpty},
      {.source = "overlap_pct",
       .title = tr("Overlap"),
       .tip = tr("Part of the communication that runs beside compute"),
       .hide = Hide::AllEmpty},
      {.source = "exposed_communication_us",
       .title = tr("Exposed"),
       .tip = tr("Communication with no compute beside it"),
       .hide = Hide::AllEmpty},
      {.source = "memory_us",
       .title = tr("Memory"),
       .tip = tr("Time with a copy or set running"),
       .hide = Hide::AllEmpty},
      {.source = "idle_us",
       .title = tr("Idle"),
       .tip = tr("GPU span in which nothing ran"),
       .hide = Hide::AllEmpty},
      {.source = "wait_us",
       .title = tr("Wait"),
       .tip = tr("Time in collectives until the last rank began, summed"),
       .hide = Hide::AllEmpty},
      {.source = "slowdown",
       .title = tr("Slowdown"),
       .tip = tr("Own time of the steps, without waiting, against the median rank"),
       .hide = Hide::AllEmpty},
  };
}

std::vector<ShownColumn> fileColumns() {
  return {
      {.source = "path", .title = tr("File"), .elideStart = true},
      {.source = "rank", .title = tr("Rank")},
      {.source = "capture",
       .title = tr("Capture"),
       .tip = tr("Profiling cycle of the rank, in order of time"),
       .hide = Hide::AllSame},
      {.source = "rank_from",
       .title = tr("Rank from"),
       .tip = tr("What told the rank: metadata, name, folder, content, or a guess")},
      {.source = "host", .title = tr("Host"), .hide = Hide::AllEmpty},
      {.source = "bytes", .title = tr("Size"), .tip = tr("On disk")},
      {.source = "json_bytes", .title = tr("JSON"), .tip = tr("Inflated")},
      {.source = "events", .title = tr("Events")},
      {.source = "begin_us", .title = tr("Begins"), .tip = tr("After the job's first event")},
      {.source = "end_us", .title = tr("Ends"), .tip = tr("After the job's first event")},
      {.source = "repaired",
       .title = tr("Repaired"),
       .tip = tr("Events that are there after something in them was mended")},
      {.source = "skipped",
       .title = tr("Skipped"),
       .tip = tr("Events that could not be read and are missing")},
      {.source = "note", .title = tr("Note"), .hide = Hide::AllEmpty},
  };
}

std::vector<ShownColumn> diagnosticColumns() {
  return {
      {.source = "file", .title = tr("File")},
      {.source = "kind", .title = tr("Kind")},
      {.source = "byte_offset", .title = tr("Byte"), .tip = tr("Offset into the (inflated) JSON text")},
      {.source = "text", .title = tr("What")},
  };
}

} // namespace

FilesPanel::FilesPanel(const TraceSession& session, QWidget* parent) : QWidget(parent) {
  m_ranks = new TableCard(tr("Ranks"), rankColumns(), session);
  m_ranks->setCaption(tr("double click a row to see it in the timeline"));
  m_files = new TableCard(tr("Files"), fileColumns(), session);
  m_files->setStretchColumn("path");
  m_diagnostics = new TableCard(tr("Repaired, skipped and doubted"), diagnosticColumns(), session);
  m_diagnostics->setStretchColumn("text");

  auto* cards = new QWidget;
  cards->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(cards);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(16);
  column->addWidget(m_ranks, 4);
  column->addWidget(m_files, 4);
  column->addWidget(m_diagnostics, 3);
  column->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setWidget(cards);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(scroll);

  connect(m_ranks, &TableCard::rowActivated, this, &FilesPanel::rankActivated);
  setTables(nullptr, nullptr, nullptr);
}

void FilesPanel::setTables(std::shared_ptr<const ResultTable> ranks, std::shared_ptr<const ResultTable> files,
                           std::shared_ptr<const ResultTable> diagnostics) {
  const QString waiting = tr("Being computed …");
  m_ranks->setTable(ranks, ranks ? tr("No rank was opened.") : waiting);
  m_files->setTable(files, files ? tr("No file was found.") : waiting);
  m_files->setCaption(files ? counted(static_cast<qint64>(files->rowCount()), tr("1 file"), tr("%1 files"))
                            : QString());
  const bool known = diagnostics != nullptr;
  m_diagnostics->setTable(
      std::move(diagnostics),
      known ? tr("Nothing was repaired, skipped or doubted: every event was read as it stands.") : waiting);
  // What needs no room leaves it to the others.
  constexpr int kFewRows = 5;
  for (TableCard* card : {m_ranks, m_files, m_diagnostics}) {
    card->setMinimumHeight(card->heightFor(kFewRows));
    card->setMaximumHeight(card->heightFor(std::numeric_limits<int>::max()));
  }
}

TableCard& FilesPanel::currentCard() {
  for (TableCard* card : {m_files, m_diagnostics})
    if (card->isAncestorOf(QApplication::focusWidget())) return *card;
  return *m_ranks;
}

ResultTable diagnosticsTable(const TraceSet& traces) {
  ResultTable table(
      "diagnostics",
      {{"file", Unit::Text}, {"kind", Unit::Text}, {"byte_offset", Unit::Identity}, {"text", Unit::Text}});
  constexpr std::array<std::string_view, 3> kKinds{"repaired", "skipped", "doubted"};
  const FileNames names(traces);
  for (const FileRecord& file : traces.files()) {
    std::array<std::uint64_t, kKinds.size()> kept{};
    const std::string name = names.of(file.path);
    for (const Diagnostic& item : file.diagnostics.items()) {
      const auto kind = static_cast<std::size_t>(item.kind);
      ++kept[kind];
      table.addRow({Cell(std::string_view(name)), Cell(kKinds[kind]),
                    Cell(static_cast<std::int64_t>(item.byteOffset)), Cell(std::string_view(item.text))});
    }
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      const std::uint64_t all = file.diagnostics.count(static_cast<DiagnosticKind>(kind));
      if (all <= kept[kind]) continue;
      const std::string more =
          FilesPanel::tr("and %1 more")
              .arg(QString::fromStdString(groupedText(static_cast<std::int64_t>(all - kept[kind]))))
              .toStdString();
      table.addRow({Cell(std::string_view(name)), Cell(kKinds[kind]), Cell(), Cell(std::string_view(more))});
    }
  }
  return table;
}

} // namespace rankscope::ui
