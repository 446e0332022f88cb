// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/reading_note.h"

#include "core/base/unit_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace rankscope::ui {

namespace {

constexpr int kMilliseconds = 100;

} // namespace

ReadingNote::ReadingNote(QWidget* parent) : QWidget(parent), m_text(new QLabel) {
  m_text->setObjectName(QStringLiteral("caption"));
  auto* cancel = new QPushButton(tr("Cancel"));
  cancel->setObjectName(QStringLiteral("cancelReading"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_text);
  row->addWidget(cancel);
  hide();
  m_timer.setInterval(kMilliseconds);
  connect(&m_timer, &QTimer::timeout, this, &ReadingNote::refresh);
  connect(cancel, &QPushButton::clicked, this, &ReadingNote::cancelWanted);
}

std::shared_ptr<Progress> ReadingNote::watchNew() {
  giveUp();
  m_progress = std::make_shared<Progress>();
  m_timer.start();
  return m_progress;
}

void ReadingNote::stop() {
  m_timer.stop();
  m_progress.reset();
  hide();
}

void ReadingNote::giveUp() {
  if (m_progress) m_progress->cancel = true;
  stop();
}

void ReadingNote::refresh() {
  const std::uint64_t total = m_progress ? m_progress->bytesTotal.load() : 0;
  setVisible(total > 0);
  if (total == 0) return;
  const double percent =
      100.0 * static_cast<double>(m_progress->bytesDone.load()) / static_cast<double>(total);
  m_text->setText(tr("Reading the files again … %1").arg(QString::fromStdString(percentText(percent))));
}

} // namespace rankscope::ui
