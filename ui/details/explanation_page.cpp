// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/explanation_page.h"

#include "ui/job/trace_session.h"
#include "ui/widgets/text_page.h"

#include <QScrollBar>
#include <QUrl>

#include <utility>

namespace rankscope::ui {
namespace {

const QString kExplainedScheme = QStringLiteral("event");

QString explainedUrl(EventRef target) {
  return QStringLiteral("%1:%2/%3").arg(kExplainedScheme).arg(target.rank.value).arg(target.event.value);
}

} // namespace

ExplanationPage::ExplanationPage(TraceSession& session, QWidget* parent)
    : QTextBrowser(parent), m_session(session) {
  setUpTextPage(*this, 14);
  connect(&session, &TraceSession::themeChanged, this, &ExplanationPage::render);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    const QStringList parts = url.path().split(QLatin1Char('/'));
    if (url.scheme() != kExplainedScheme || parts.size() != 2) return;
    m_session.reveal({RankIndex(parts[0].toUInt()), EventIndex(parts[1].toUInt())});
  });
}

void ExplanationPage::showExplanation(Explanation explanation) {
  m_explanation = std::move(explanation);
  render();
  verticalScrollBar()->setValue(0);
}

void ExplanationPage::showMessage(const QString& sentence) {
  showExplanation({{}, sentence, {}, {}, {}});
}

void ExplanationPage::render() {
  const Theme& theme = m_session.theme();
  QString html;
  if (!m_explanation.title.isEmpty())
    html += QStringLiteral("<p style='margin:0; font-size:14px; font-weight:600'>%1</p>")
                .arg(m_explanation.title.toHtmlEscaped());
  html += QStringLiteral("<p style='margin-top:3px; margin-bottom:8px; color:%1'>%2</p>")
              .arg(theme.muted.name(), m_explanation.summary.toHtmlEscaped());
  html += QStringLiteral("<table cellspacing='0' cellpadding='0'>");
  for (const ExplanationRow& row : m_explanation.rows) {
    QString text = row.text.toHtmlEscaped();
    if (row.target.valid())
      text = QStringLiteral("<a href='%1' style='color:%2; text-decoration:none'>%3</a>")
                 .arg(explainedUrl(row.target), theme.accent.name(), text);
    if (!row.note.isEmpty())
      text += QStringLiteral("<span style='color:%1'>&nbsp; %2</span>")
                  .arg(theme.muted.name(), row.note.toHtmlEscaped());
    html += QStringLiteral("<tr><td style='color:%1; padding-right:16px; padding-bottom:3px; "
                           "white-space:nowrap'>%2</td><td style='padding-bottom:3px'>%3</td></tr>")
                .arg(theme.muted.name(), row.key.toHtmlEscaped(), text);
  }
  html += QStringLiteral("</table>");
  const auto addEnd = [&](const QString& sentence, const QColor& color) {
    if (!sentence.isEmpty())
      html += QStringLiteral("<p style='margin-top:8px; margin-bottom:0; color:%1'>%2</p>")
                  .arg(color.name(), sentence.toHtmlEscaped());
  };
  addEnd(m_explanation.warning, theme.bad);
  addEnd(m_explanation.advice, theme.good);
  setHtml(html);
}

} // namespace rankscope::ui
