// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/operators/operator_page.h"

#include "ui/job/trace_session.h"
#include "ui/widgets/text_page.h"

#include <QScrollBar>
#include <QUrl>

namespace rankscope::ui {

OperatorPage::OperatorPage(const TraceSession& session, QWidget* parent)
    : QTextBrowser(parent), m_session(session) {
  setUpTextPage(*this, 0);
  setAccessibleName(tr("Selected operator"));
  connect(&session, &TraceSession::themeChanged, this, &OperatorPage::render);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    const QStringList lines = m_detail.split(QLatin1Char('\n'));
    const int line = url.path().toInt();
    if (line >= lines.size()) return;
    if (const auto place = sourcePlaceOf(lines[line].toStdString())) emit sourceWanted(*place);
  });
}

void OperatorPage::showDetail(const QString& name, const QString& detail, OperatorDetail of) {
  m_name = name;
  m_detail = detail;
  m_of = of;
  render();
  verticalScrollBar()->setValue(0);
}

void OperatorPage::showMessage(const QString& sentence) {
  showDetail({}, sentence, OperatorDetail::None);
}

void OperatorPage::render() {
  const Theme& theme = m_session.theme();
  QString html;
  if (!m_name.isEmpty())
    html += QStringLiteral("<p style='margin:0 0 4px 0; font-weight:600'>%1</p>").arg(m_name.toHtmlEscaped());
  const bool source = m_of == OperatorDetail::Stack || m_of == OperatorDetail::SourceLine;
  const QStringList lines = m_detail.split(QLatin1Char('\n'));
  for (qsizetype i = 0; i < lines.size(); ++i) {
    QString text = lines[i].toHtmlEscaped();
    if (source && sourcePlaceOf(lines[i].toStdString()))
      text = QStringLiteral("<a href='source:%1' style='color:%2; text-decoration:none'>%3</a>")
                 .arg(i)
                 .arg(theme.accent.name(), text);
    html += QStringLiteral("<p style='margin:0; color:%1'>%2</p>").arg(theme.muted.name(), text);
  }
  setHtml(html);
}

} // namespace rankscope::ui
