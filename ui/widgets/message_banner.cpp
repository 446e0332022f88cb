// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::ui {

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
  m_action = new QPushButton;
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
  row->addWidget(m_action, 0, Qt::AlignTop);
  row->addWidget(close, 0, Qt::AlignTop);
  hide();
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(m_action, &QPushButton::clicked, this, &MessageBanner::actionWanted);
}

void MessageBanner::showMessage(Severity severity, const QString& title, const QStringList& details,
                                const QString& action) {
  setProperty("severity", severity == Severity::Error ? QStringLiteral("error") : QStringLiteral("notice"));
  style()->unpolish(this);
  style()->polish(this);
  m_title->setText(title);
  m_details->setText(details.join(QLatin1Char('\n')));
  m_details->setVisible(!details.isEmpty());
  m_action->setText(action);
  m_action->setVisible(!action.isEmpty());
  show();
}

QString MessageBanner::text() const {
  return m_title->text() + QLatin1Char('\n') + m_details->text();
}

} // namespace rankscope::ui
