// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_banner.h"

#include "ui/widgets/flow_layout.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

constexpr int kSuccessMs = 8000;
constexpr int kBannerGap = 8; // between buttons

} // namespace

MessageBanner::MessageBanner(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("banner"));
  const auto label = [](const char* name) {
    auto* text = new QLabel;
    text->setObjectName(QString::fromLatin1(name));
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return text;
  };
  m_title = label("bannerTitle");
  m_details = label("bannerDetails");
  m_actions = new QWidget;
  m_goes = new QTimer(this);
  m_goes->setSingleShot(true);
  m_goes->setInterval(kSuccessMs);
  auto* close = new QToolButton;
  close->setText(QStringLiteral("×"));
  close->setToolTip(tr("Dismiss"));
  close->setAccessibleName(tr("Dismiss this message"));
  close->setObjectName(QStringLiteral("bannerClose"));

  m_texts = new QVBoxLayout;
  m_texts->setSpacing(3);
  m_texts->addWidget(m_title);
  m_texts->addWidget(m_details);
  m_row = new QHBoxLayout(this);
  m_row->setContentsMargins(18, 9, 14, 9);
  m_row->setSpacing(12);
  m_row->addLayout(m_texts, 1);
  m_row->addWidget(m_actions, 0, Qt::AlignTop);
  m_row->addWidget(close, 0, Qt::AlignTop);
  hide();
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(m_goes, &QTimer::timeout, this, &QWidget::hide);
  (new FlowLayout(m_actions, kBannerGap))->setContentsMargins(0, 0, 0, 0);
}

// One button stands beside the texts; several stand below them, which then have the whole width.
void MessageBanner::placeActions(bool below) {
  QBoxLayout& from = below ? static_cast<QBoxLayout&>(*m_row) : *m_texts;
  if (from.indexOf(m_actions) < 0) return;
  from.removeWidget(m_actions);
  if (below)
    m_texts->addWidget(m_actions);
  else
    m_row->insertWidget(1, m_actions, 0, Qt::AlignTop);
}

void MessageBanner::showMessage(Severity severity, const QString& title, const QStringList& details,
                                const QString& action) {
  showChoices(severity, title, details, action.isEmpty() ? QStringList() : QStringList{action});
}

void MessageBanner::showChoices(Severity severity, const QString& title, const QStringList& details,
                                const QStringList& actions) {
  setProperty("severity", severity == Severity::Error     ? QStringLiteral("error")
                          : severity == Severity::Success ? QStringLiteral("success")
                                                          : QStringLiteral("notice"));
  style()->unpolish(this);
  style()->polish(this);
  m_title->setText(title);
  m_details->setText(details.join(QLatin1Char('\n')));
  m_details->setVisible(!details.isEmpty());
  // A button may have been clicked just now.
  for (QPushButton* const old : m_actions->findChildren<QPushButton*>()) {
    old->hide();
    old->setObjectName(QString());
    old->deleteLater();
  }
  for (int i = 0; i < actions.size(); ++i) {
    auto* button = new QPushButton(actions[i]);
    button->setObjectName(QStringLiteral("bannerAction"));
    m_actions->layout()->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, i] {
      m_chosen = i;
      emit actionWanted();
    });
  }
  placeActions(actions.size() > 1);
  m_actions->setVisible(!actions.isEmpty());
  m_goes->stop();
  if (severity == Severity::Success) m_goes->start();
  show();
}

void MessageBanner::enterEvent(QEnterEvent* event) {
  QFrame::enterEvent(event);
  m_goes->stop();
}

void MessageBanner::leaveEvent(QEvent* event) {
  QFrame::leaveEvent(event);
  if (property("severity") == QLatin1String("success")) m_goes->start();
}

QString MessageBanner::text() const {
  return m_title->text() + QLatin1Char('\n') + m_details->text();
}

} // namespace rankscope::ui
