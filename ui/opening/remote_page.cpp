// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/remote_page.h"

#include "core/base/natural_order.h"
#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/opening/page_parts.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QTreeWidget>

#include <algorithm>
#include <array>

namespace rankscope::ui {

namespace {

constexpr int kRemoteColumnWidth = 760;
constexpr int kListHeight = 260;
constexpr std::size_t kMaxListed = 1000; // files; the figures are of all
constexpr int kMaxRank = 1'000'000;

enum Column { kFile, kRank, kCapture, kKind, kSize, kHere };

QString kindText(RemoteUse use) {
  switch (use) {
  case RemoteUse::Trace:
    return RemotePage::tr("trace");
  case RemoteUse::Archive:
    return RemotePage::tr("archive");
  case RemoteUse::Beside:
    return RemotePage::tr("snapshot, dump or log");
  }
  return {};
}

// "8 ranks on 2 nodes · 2 captures · 17 files · 3.2 GB"
QString summaryOf(const RemoteContents& contents) {
  std::set<int> ranks;
  std::set<std::string> nodes;
  int captures = 0;
  for (const RemoteEntry& entry : contents.files) {
    if (entry.rank) ranks.insert(*entry.rank);
    if (!entry.node.empty()) nodes.insert(entry.node);
    captures = std::max(captures, entry.capture);
  }
  QStringList parts;
  if (!ranks.empty())
    parts << counted(static_cast<qint64>(ranks.size()), RemotePage::tr("1 rank"), RemotePage::tr("%1 ranks"));
  if (nodes.size() > 1) parts << RemotePage::tr("%1 nodes").arg(nodes.size());
  if (captures > 1) parts << RemotePage::tr("%1 captures").arg(captures);
  parts << counted(static_cast<qint64>(contents.files.size()), RemotePage::tr("1 file"),
                   RemotePage::tr("%1 files"))
        << sizeText(contents.bytes());
  if (contents.others > 0)
    parts << counted(static_cast<qint64>(contents.others), RemotePage::tr("1 other file is left out"),
                     RemotePage::tr("%1 other files are left out"));
  return parts.join(QStringLiteral(" · "));
}

} // namespace

std::optional<std::set<int>> ranksFromText(const QString& text) {
  std::set<int> ranks;
  for (const QString& part : text.split(QLatin1Char(','))) {
    const QStringList ends = part.split(QLatin1Char('-'));
    bool first = false, last = false;
    const int from = ends.front().trimmed().toInt(&first);
    const int to = ends.back().trimmed().toInt(&last);
    if (!first || !last || ends.size() > 2 || from < 0 || to < from || to > kMaxRank) return std::nullopt;
    for (int rank = from; rank <= to; ++rank) ranks.insert(ranks.end(), rank);
  }
  return ranks;
}

RemotePage::RemotePage(QWidget* parent)
    : QWidget(parent), m_title(wrappedLabel("startTitle")), m_text(wrappedLabel("startText")),
      m_ranks(new QLineEdit), m_nodes(new QComboBox), m_captures(new QComboBox), m_files(new QTreeWidget),
      m_figure(wrappedLabel("remoteFigure")), m_all(pageButton(tr("All"), "allFiles")),
      m_none(pageButton(tr("None"), "noFiles")), m_fetch(pageButton(tr("Fetch and open"), "primary")),
      m_cancel(pageButton(tr("Cancel"), "leaveRemote")) {
  setObjectName(QStringLiteral("remotePage"));
  m_ranks->setObjectName(QStringLiteral("remoteRanks"));
  m_ranks->setAccessibleName(tr("Ranks to fetch"));
  m_nodes->setAccessibleName(tr("Node to fetch"));
  m_captures->setAccessibleName(tr("Capture to fetch"));
  makeList();
  auto* column = new QVBoxLayout;
  column->addStretch(2);
  column->addWidget(makeCard());
  column->addStretch(3);
  auto* content = new QWidget;
  auto* across = new QHBoxLayout(content);
  across->setContentsMargins(16, 16, 16, 16);
  across->addLayout(column, 1); // centers the card
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(content);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(scroll);
  connect(m_ranks, &QLineEdit::textChanged, this, &RemotePage::showChoice);
  connect(m_nodes, &QComboBox::currentIndexChanged, this, &RemotePage::showChoice);
  connect(m_captures, &QComboBox::currentIndexChanged, this, &RemotePage::showChoice);
  const auto fetch = [this] {
    if (const auto chosen = answer(); chosen && m_fetch->isEnabled()) emit fetchWanted(*chosen);
  };
  connect(m_files, &QTreeWidget::itemChanged, this, [this](const QTreeWidgetItem* row) {
    const std::string path = row->data(kFile, Qt::UserRole).toString().toStdString();
    if (row->checkState(kFile) == Qt::Checked)
      m_without.erase(path);
    else
      m_without.insert(path);
    showFigure();
  });
  connect(m_all, &QPushButton::clicked, this, [this] { want(true); });
  connect(m_none, &QPushButton::clicked, this, [this] { want(false); });
  connect(m_ranks, &QLineEdit::returnPressed, this, fetch);
  connect(m_fetch, &QPushButton::clicked, this, fetch);
  connect(m_cancel, &QPushButton::clicked, this, &RemotePage::leaveWanted);
}

void RemotePage::makeList() {
  m_files->setObjectName(QStringLiteral("remoteFiles"));
  m_files->setAccessibleName(tr("Files to fetch"));
  m_files->setRootIsDecorated(false);
  m_files->setUniformRowHeights(true);
  m_files->setTextElideMode(Qt::ElideMiddle); // names differ at their ends
  m_files->setSelectionMode(QAbstractItemView::NoSelection);
  m_files->setHeaderLabels({tr("File"), tr("Rank"), tr("Capture"), tr("Kind"), tr("Size"), tr("Fetched")});
  for (const int column : {kRank, kCapture, kSize})
    m_files->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  m_files->headerItem()->setToolTip(kCapture, tr("Order of the files of a rank, by name"));
  m_files->headerItem()->setToolTip(kHere, tr("On this machine and unchanged"));
  m_files->header()->setStretchLastSection(false);
  m_files->header()->setSectionResizeMode(kFile, QHeaderView::Stretch);
}

QWidget* RemotePage::makeCard() {
  auto* choices = new QGridLayout;
  choices->setHorizontalSpacing(12);
  choices->setVerticalSpacing(8);
  auto* ranks = new QLabel(tr("Ranks"));
  ranks->setBuddy(m_ranks);
  choices->addWidget(ranks, 0, 0);
  choices->addWidget(m_ranks, 0, 1);
  choices->addWidget(m_nodes, 1, 1);
  choices->addWidget(m_captures, 2, 1);
  choices->setColumnStretch(1, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(10);
  buttons->addWidget(m_fetch);
  buttons->addStretch();
  buttons->addWidget(m_cancel);
  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("card"));
  card->setMaximumWidth(scaledToText(kRemoteColumnWidth));
  auto* inner = new QVBoxLayout(card);
  inner->setContentsMargins(32, 28, 32, 26);
  inner->setSpacing(8);
  inner->addWidget(m_title);
  inner->addWidget(m_text);
  inner->addSpacing(10);
  inner->addLayout(choices);
  inner->addSpacing(6);
  inner->addWidget(m_files);
  auto* below = new QHBoxLayout;
  below->setSpacing(10);
  below->addWidget(m_figure, 1);
  below->addWidget(m_all);
  below->addWidget(m_none);
  inner->addLayout(below);
  inner->addSpacing(10);
  inner->addLayout(buttons);
  return card;
}

void RemotePage::ask(const RemoteContents& contents) {
  m_contents = contents;
  m_title->setText(QString::fromStdString(contents.shown));
  m_text->setText(summaryOf(contents));
  m_without.clear();
  m_ranks->clear();
  const bool ranks =
      std::ranges::any_of(contents.files, [](const RemoteEntry& entry) { return entry.rank.has_value(); });
  m_ranks->setEnabled(ranks);
  m_ranks->setPlaceholderText(ranks ? tr("All ranks, or 0,3-5") : tr("No ranks in the file names"));
  fillChoices();
  showChoice();
  // As high as its rows, within bounds.
  const int rows = m_files->topLevelItemCount() * std::max(m_files->sizeHintForRow(0), 1);
  m_files->setFixedHeight(std::clamp(m_files->header()->sizeHint().height() + rows + scaledToText(6),
                                     scaledToText(kListHeight / 3), scaledToText(kListHeight)));
}

void RemotePage::fillChoices() {
  std::vector<std::string> nodes;
  int captures = 0;
  for (const RemoteEntry& entry : m_contents.files) {
    if (!entry.node.empty() && std::ranges::find(nodes, entry.node) == nodes.end())
      nodes.push_back(entry.node);
    captures = std::max(captures, entry.capture);
  }
  std::ranges::sort(nodes, naturalLess);
  m_nodes->clear();
  m_nodes->addItem(tr("All nodes"));
  for (const std::string& node : nodes)
    m_nodes->addItem(QString::fromStdString(node), QString::fromStdString(node));
  m_nodes->setVisible(nodes.size() > 1);
  m_captures->clear();
  m_captures->addItem(tr("All captures"));
  for (int capture = 1; capture <= captures; ++capture)
    m_captures->addItem(tr("Capture %1").arg(capture), capture);
  m_captures->setVisible(captures > 1);
  m_files->setColumnHidden(kCapture, captures <= 1);
}

std::optional<RemoteAnswer> RemotePage::answer() const {
  RemoteAnswer answer;
  if (!m_ranks->text().trimmed().isEmpty()) {
    answer.ranks = ranksFromText(m_ranks->text());
    if (!answer.ranks) return std::nullopt;
  }
  if (m_nodes->currentIndex() > 0) answer.node = m_nodes->currentData().toString().toStdString();
  if (m_captures->currentIndex() > 0) answer.capture = m_captures->currentData().toInt();
  answer.without = m_without;
  return answer;
}

void RemotePage::showChoice() {
  const QSignalBlocker blocker(m_files);
  m_files->clear();
  auto listed = answer();
  if (!listed) return showFigure();
  listed->without.clear();
  const std::vector<std::size_t> files = answeredFiles(m_contents, *listed);
  QList<QTreeWidgetItem*> rows;
  for (std::size_t i = 0; i < std::min(files.size(), kMaxListed); ++i) {
    const RemoteEntry& entry = m_contents.files[files[i]];
    const QString path = QString::fromStdString(entry.file.path);
    auto* row = new QTreeWidgetItem({path, entry.rank ? QString::number(*entry.rank) : QString(),
                                     entry.capture > 0 ? QString::number(entry.capture) : QString(),
                                     kindText(entry.use), sizeText(entry.file.bytes),
                                     entry.here ? tr("yes") : QString()});
    row->setToolTip(kFile, path);
    row->setData(kFile, Qt::UserRole, path);
    row->setCheckState(kFile, m_without.contains(entry.file.path) ? Qt::Unchecked : Qt::Checked);
    for (const int column : {kRank, kCapture, kSize})
      row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    rows << row;
  }
  m_files->addTopLevelItems(rows);
  for (int column = kRank; column <= kHere; ++column) m_files->resizeColumnToContents(column);
  showFigure();
}

void RemotePage::showFigure() {
  const auto chosen = answer();
  const std::vector<std::size_t> files =
      chosen ? answeredFiles(m_contents, *chosen) : std::vector<std::size_t>();
  m_fetch->setEnabled(!files.empty());
  m_all->setEnabled(m_files->topLevelItemCount() > 0);
  m_none->setEnabled(m_files->topLevelItemCount() > 0);
  if (!chosen) return m_figure->setText(tr("Ranks are numbers and ranges, such as 0,3-5"));
  if (m_files->topLevelItemCount() == 0) return m_figure->setText(tr("No file is of these ranks"));
  if (files.empty()) return m_figure->setText(tr("No file is chosen"));
  const QString count = counted(static_cast<qint64>(files.size()), tr("1 file"), tr("%1 files"));
  const std::uint64_t missing = m_contents.missingBytes(files);
  QString text = missing == 0 ? tr("%1 to open, nothing to fetch").arg(count)
                              : tr("%1 to open, %2 to fetch").arg(count, sizeText(missing));
  if (files.size() > kMaxListed) text += tr(" · the first %1 are listed").arg(kMaxListed);
  m_figure->setText(text);
}

// Of the listed files.
void RemotePage::want(bool all) {
  {
    const QSignalBlocker blocker(m_files);
    for (int i = 0; i < m_files->topLevelItemCount(); ++i) {
      QTreeWidgetItem* const row = m_files->topLevelItem(i);
      const std::string path = row->data(kFile, Qt::UserRole).toString().toStdString();
      row->setCheckState(kFile, all ? Qt::Checked : Qt::Unchecked);
      if (all)
        m_without.erase(path);
      else
        m_without.insert(path);
    }
  }
  showFigure();
}

void RemotePage::takeFocus() {
  (m_ranks->isEnabled() ? static_cast<QWidget*>(m_ranks) : m_fetch)->setFocus(Qt::OtherFocusReason);
}

void RemotePage::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    emit leaveWanted();
  else
    QWidget::keyPressEvent(event);
}

} // namespace rankscope::ui
