// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/query/sql_colors.h"

#include "ui/base/theme.h"
#include "ui/job/trace_session.h"

#include <QSet>

#include <algorithm>

namespace rankscope::ui {

namespace {

// What a line begins in.
enum State : int { kPlain = 0, kComment = 1, kString = 2 };

bool isKeyword(const QString& word) {
  static const QSet<QString> kWords = [] {
    QSet<QString> words;
    for (const char* known :
         {"all",    "and",   "as",       "asc",    "between", "by",        "case",   "cast",   "create",
          "cross",  "desc",  "distinct", "else",   "end",     "escape",    "except", "exists", "explain",
          "filter", "from",  "full",     "glob",   "group",   "having",    "in",     "inner",  "intersect",
          "is",     "join",  "left",     "like",   "limit",   "not",       "null",   "nulls",  "offset",
          "on",     "or",    "order",    "outer",  "over",    "partition", "plan",   "query",  "recursive",
          "regexp", "right", "select",   "table",  "temp",    "then",      "union",  "using",  "values",
          "view",   "when",  "where",    "window", "with"})
      words.insert(QString::fromLatin1(known));
    return words;
  }();
  return kWords.contains(word.toLower());
}

bool isWordPart(QChar c) {
  return c.isLetterOrNumber() || c == QLatin1Char('_');
}

} // namespace

SqlColors::SqlColors(QTextDocument& document, const TraceSession& session)
    : QSyntaxHighlighter(&document), m_session(session) {
  connect(&session, &TraceSession::themeChanged, this, &QSyntaxHighlighter::rehighlight);
}

qsizetype SqlColors::endOf(const QString& text, qsizetype from, int state) {
  const QString close = state == kComment ? QStringLiteral("*/") : QStringLiteral("'");
  const qsizetype end = text.indexOf(close, from);
  if (end >= 0) return end + close.size();
  setCurrentBlockState(state);
  return text.size();
}

void SqlColors::highlightBlock(const QString& text) {
  const Theme& theme = m_session.theme();
  const auto color = [&](qsizetype from, qsizetype to, QColor with) {
    setFormat(static_cast<int>(from), static_cast<int>(to - from), with);
  };
  setCurrentBlockState(kPlain);
  qsizetype at = 0;
  if (const int state = previousBlockState(); state == kComment || state == kString) {
    at = endOf(text, 0, state);
    color(0, at, state == kComment ? theme.muted : theme.good);
  }
  while (at < text.size()) {
    const qsizetype from = at;
    const QChar c = text[at];
    if (text.mid(at, 2) == QLatin1String("--")) {
      at = text.size();
      color(from, at, theme.muted);
    } else if (text.mid(at, 2) == QLatin1String("/*")) {
      at = endOf(text, at + 2, kComment);
      color(from, at, theme.muted);
    } else if (c == QLatin1Char('\'')) {
      at = endOf(text, at + 1, kString);
      color(from, at, theme.good);
    } else if (isWordPart(c)) {
      while (at < text.size() && (isWordPart(text[at]) || (c.isDigit() && text[at] == QLatin1Char('.'))))
        ++at;
      if (c.isDigit())
        color(from, at, theme.warn);
      else if (isKeyword(text.mid(from, at - from)))
        color(from, at, theme.accent);
    } else {
      ++at;
    }
  }
}

} // namespace rankscope::ui
