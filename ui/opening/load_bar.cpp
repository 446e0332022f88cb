// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/load_bar.h"

#include "core/base/unit_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace rankscope::ui {

namespace {

QString count(std::uint64_t number) {
  return QString::fromStdString(countText(static_cast<std::int64_t>(number)));
}

QString bytes(std::uint64_t number) {
  return QString::fromStdString(bytesText(static_cast<std::int64_t>(number)));
}

QString stageText(LoadStage stage) {
  switch (stage) {
  case LoadStage::Finding:
    return LoadBar::tr("Finding files");
  case LoadStage::Unpacking:
    return LoadBar::tr("Unpacking archives");
  case LoadStage::OpeningCache:
    return LoadBar::tr("Opening from cache");
  case LoadStage::Reading:
    return LoadBar::tr("Reading");
  case LoadStage::Placing:
    return LoadBar::tr("Aligning clocks");
  case LoadStage::Done:
    return LoadBar::tr("Done");
  }
  return {};
}

QStringList fetchTexts(const LoadSnapshot& snapshot) {
  if (snapshot.fetching == FetchProgress::Stage::Listing) return {LoadBar::tr("Listing the remote")};
  QStringList parts{LoadBar::tr("Fetching")};
  parts << LoadBar::tr("%1 of %2").arg(bytes(snapshot.fetchedBytes), bytes(snapshot.fetchBytes));
  if (snapshot.fetchSpeed > 0) {
    parts << LoadBar::tr("%1/s").arg(bytes(snapshot.fetchSpeed));
    const std::uint64_t left = snapshot.fetchBytes - std::min(snapshot.fetchBytes, snapshot.fetchedBytes);
    if (left > 0)
      parts << LoadBar::tr("%1 s left").arg((left + snapshot.fetchSpeed - 1) / snapshot.fetchSpeed);
  }
  if (snapshot.filesTotal > 0)
    parts << LoadBar::tr("%1 of %2 files opened").arg(snapshot.filesDone).arg(snapshot.filesTotal);
  return parts;
}

} // namespace

QString loadText(const LoadSnapshot& snapshot) {
  if (snapshot.silence)
    return LoadBar::tr("Waiting for %1 · no answer for %2 s")
        .arg(QString::fromStdString(snapshot.silence->remote))
        .arg(snapshot.silence->seconds);
  if (snapshot.fetching != FetchProgress::Stage::None)
    return fetchTexts(snapshot).join(QStringLiteral(" · "));
  QStringList parts{stageText(snapshot.stage)};
  if (snapshot.filesTotal > 0)
    parts << LoadBar::tr("%1 of %2 files").arg(snapshot.filesDone).arg(snapshot.filesTotal);
  if (snapshot.bytesTotal > 0)
    parts << LoadBar::tr("%1 of %2").arg(bytes(snapshot.bytesDone), bytes(snapshot.bytesTotal));
  if (snapshot.eventsDone > 0) parts << LoadBar::tr("%1 events").arg(count(snapshot.eventsDone));
  return parts.join(QStringLiteral(" · "));
}

LoadBar::LoadBar(LoadJob& job, QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("loadBar"));
  m_text = new QLabel;
  m_text->setObjectName(QStringLiteral("loadText"));
  m_text->setTextFormat(Qt::PlainText);
  m_bar = new QProgressBar;
  m_bar->setTextVisible(false);
  m_bar->setFixedHeight(6);
  m_bar->setAccessibleName(tr("Loading"));
  m_cancel = new QPushButton(tr("Cancel"));
  m_cancel->setObjectName(QStringLiteral("cancelLoad"));
  m_cancel->setFocusPolicy(Qt::TabFocus);
  auto* part = new QPushButton(tr("Open partially …"));
  part->setObjectName(QStringLiteral("openPart"));
  part->setFocusPolicy(Qt::TabFocus);
  part->setToolTip(tr("Skip the Python stack, CPU operators or some steps"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(18, 6, 14, 6);
  row->setSpacing(16);
  row->addWidget(m_text);
  row->addWidget(m_bar, 1);
  row->addWidget(part);
  row->addWidget(m_cancel);
  hide();

  connect(m_cancel, &QPushButton::clicked, &job, &LoadJob::cancel);
  connect(part, &QPushButton::clicked, this, &LoadBar::partWanted);
  connect(&job, &LoadJob::started, this, &QWidget::hide);
  connect(&job, &LoadJob::progressed, this, &LoadBar::showSnapshot);
  connect(&job, &LoadJob::finished, this, &QWidget::hide);
  connect(&job, &LoadJob::failed, this, &QWidget::hide);
  connect(&job, &LoadJob::cancelled, this, &QWidget::hide);
  connect(&job, &LoadJob::wouldNotFit, this, &QWidget::hide);
  connect(&job, &LoadJob::ranLow, this, &QWidget::hide);
  connect(&job, &LoadJob::remoteListed, this, &QWidget::hide);
}

QString LoadBar::text() const {
  return m_text->text();
}

void LoadBar::showSnapshot(const LoadSnapshot& snapshot) {
  constexpr int kSteps = 1000;
  m_text->setText(loadText(snapshot));
  // Without a total the bar is indeterminate.
  const bool fetching = snapshot.fetching != FetchProgress::Stage::None;
  const std::uint64_t total = fetching ? snapshot.fetchBytes : snapshot.bytesTotal;
  const std::uint64_t done = fetching ? snapshot.fetchedBytes : snapshot.bytesDone;
  m_bar->setRange(0, total > 0 ? kSteps : 0);
  if (total > 0)
    m_bar->setValue(static_cast<int>(kSteps * static_cast<double>(done) / static_cast<double>(total)));
  show();
}

} // namespace rankscope::ui
