// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_banner.h"

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

  auto* texts = new QVBoxLayout;
  texts->setSpacing(3);
  texts->addWidget(m_title);
  texts->addWidget(m_details);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(18, 9, 14, 9);
  row->setSpacing(12);
  row->addLayout(texts, 1);
  row->addWidget(m_actions, 0, Qt::AlignTop);
  row->addWidget(close, 0, Qt::AlignTop);
  hide();
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(m_goes, &QTimer::timeout, this, &QWidget::hide);
  auto* buttons = new QHBoxLayout(m_actions);
  buttons->setContentsMargins(0, 0, 0, 0);
  buttons->setSpacing(8);
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
