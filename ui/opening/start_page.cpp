// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/start_page.h"

#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/opening/recent_paths.h"
#include "ui/opening/recording_recipe.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/recipe_card.h"

#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

constexpr int kStartColumnWidth = 740; // all buttons of the well in one row
constexpr int kRecentShown = 6;
constexpr int kIconSize = 56;

QLabel* centered(const QString& text, const char* name) {
  auto* label = new QLabel(text);
  label->setObjectName(QString::fromLatin1(name));
  label->setAlignment(Qt::AlignCenter);
  label->setWordWrap(true);
  label->setMinimumWidth(1); // wraps anywhere rather than widening the page
  return label;
}

// A row of the list; the whole row is a button.
class RecentButton : public QPushButton {
 public:
  RecentButton(const QString& title, const QString& place, bool there) {
    setObjectName(QStringLiteral("recentRow"));
    setEnabled(there);
    setAccessibleName(title);
    setFixedHeight(scaledToText(38));
    auto* name = new ElidedLabel(title);
    name->setObjectName(QStringLiteral("recentName"));
    auto* where = new ElidedLabel(there ? place : StartPage::tr("%1 · missing").arg(place));
    where->setObjectName(QStringLiteral("recentPlace"));
    where->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (QLabel* label : {static_cast<QLabel*>(name), static_cast<QLabel*>(where)}) {
      label->setEnabled(there);
      label->setAttribute(Qt::WA_TransparentForMouseEvents);
    }
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 0, 14, 0);
    row->setSpacing(18);
    row->addWidget(name);
    row->addWidget(where, 1);
  }
};

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), m_demo(new QPushButton(tr("Open a demo job"))),
      m_tour(new QPushButton(tr("Two-minute tour"))), m_recentTitle(new QLabel(tr("Recent"))),
      m_recent(new QVBoxLayout) {
  m_recentTitle->setObjectName(QStringLiteral("recentTitle"));
  m_recent->setSpacing(2);

  auto* column = new QWidget;
  column->setMaximumWidth(scaledToText(kStartColumnWidth));
  auto* lines = new QVBoxLayout(column);
  lines->setContentsMargins(0, 24, 0, 24);
  lines->setSpacing(8);
  lines->addStretch(2);
  lines->addWidget(dropWell());
  lines->addSpacing(8);
  lines->addWidget(m_recentTitle);
  lines->addLayout(m_recent);
  lines->addSpacing(8);
  lines->addWidget(recordingCard());
  lines->addStretch(3);
  auto* inner = new QWidget;
  auto* across = new QHBoxLayout(inner);
  across->setContentsMargins(16, 0, 16, 0);
  across->addStretch(1);
  across->addWidget(column, 1000);
  across->addStretch(1);
  // Scrolls in a small window or with large fonts.
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(inner);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(scroll);
  setDemoThere(false);
  setRecent({});
}

QWidget* StartPage::dropWell() {
  auto* well = new QFrame;
  well->setObjectName(QStringLiteral("dropWell"));
  auto* icon = new QLabel;
  icon->setAlignment(Qt::AlignCenter);
  icon->setPixmap(QIcon(QStringLiteral(":/rankscope.svg")).pixmap(kIconSize, kIconSize));
  auto* folder = new QPushButton(tr("Open folder …"));
  folder->setObjectName(QStringLiteral("primary"));
  folder->setToolTip(tr("Ctrl+O"));
  auto* files = new QPushButton(tr("Open files …"));
  files->setToolTip(tr("Ctrl+Shift+O"));
  auto* remote = new QPushButton(tr("Open remote …"));
  remote->setObjectName(QStringLiteral("openRemote"));
  remote->setToolTip(tr("From S3, Google Cloud Storage, Azure, SFTP or another remote of rclone"));
  m_demo->setObjectName(QStringLiteral("openDemo"));
  m_demo->setToolTip(tr("A generated job of 8 ranks on 2 hosts with a straggler, exposed communication and a "
                        "step that waits for its DataLoader"));
  auto* buttons = new FlowLayout(nullptr, 10);
  buttons->setCentered();
  m_tour->setObjectName(QStringLiteral("takeTour"));
  m_tour->setToolTip(tr("Opens the demo job and shows what can be done with it"));
  for (QPushButton* button : {folder, files, remote, m_demo, m_tour}) buttons->addWidget(button);
  auto* inner = new QVBoxLayout(well);
  inner->setContentsMargins(24, 24, 24, 24);
  inner->setSpacing(8);
  inner->addWidget(icon);
  inner->addWidget(centered(tr("Drop a folder of traces here"), "startTitle"));
  inner->addWidget(centered(
      tr("One file per rank from torch.profiler (.json or .json.gz), in one folder or one per host. Memory "
         "snapshots and Flight Recorder dumps beside them, or alone."),
      "startText"));
  inner->addSpacing(8);
  inner->addLayout(buttons);
  connect(folder, &QPushButton::clicked, this, &StartPage::openFolderWanted);
  connect(files, &QPushButton::clicked, this, &StartPage::openFilesWanted);
  connect(remote, &QPushButton::clicked, this, &StartPage::openRemoteWanted);
  connect(m_demo, &QPushButton::clicked, this, &StartPage::openDemoWanted);
  connect(m_tour, &QPushButton::clicked, this, &StartPage::tourWanted);
  return well;
}

QWidget* StartPage::recordingCard() {
  auto* card = new RecipeCard(tr("Record a job"), recordingRecipe());
  card->setText(
      tr("Run this on every rank. Each process writes one file; collect them in one folder and drop it "
         "here."));
  card->copyButton().setObjectName(QStringLiteral("copyRecipe"));
  auto* guide = new QPushButton(tr("More in the guide"));
  guide->setObjectName(QStringLiteral("recordingGuide"));
  card->addButton(guide);
  connect(guide, &QPushButton::clicked, this, &StartPage::recordingGuideWanted);
  return card;
}

void StartPage::setDemoThere(bool there) {
  m_demo->setVisible(there);
  m_tour->setVisible(there);
}

void StartPage::setRecent(const QList<QStringList>& entries) {
  while (QLayoutItem* item = m_recent->takeAt(0)) {
    item->widget()->deleteLater();
    item->widget()->hide();
    delete item;
  }
  m_recentTitle->setVisible(!entries.isEmpty());
  for (const QStringList& paths : entries.mid(0, kRecentShown)) m_recent->addWidget(recentRow(paths));
}

QWidget* StartPage::recentRow(const QStringList& paths) {
  const bool there = RecentPaths::exists(paths);
  auto* button = new RecentButton(recentTitle(paths), recentPlace(paths), there);
  auto* forget = new QToolButton;
  forget->setObjectName(QStringLiteral("forget"));
  forget->setText(QStringLiteral("×"));
  forget->setToolTip(tr("Remove from list"));
  forget->setAccessibleName(tr("Remove %1 from the list").arg(recentTitle(paths)));
  auto* row = new QWidget;
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(2);
  line->addWidget(button, 1);
  line->addWidget(forget);
  connect(button, &QPushButton::clicked, this, [this, paths] { emit openWanted(paths); });
  connect(forget, &QToolButton::clicked, this, [this, paths] { emit forgetWanted(paths); });
  return row;
}

} // namespace rankscope::ui
