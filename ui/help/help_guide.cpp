// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/help_guide.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::ui {

namespace {

// All other pages come after these.
constexpr std::array kFiles = {"index.md",       "example.md",  "opening.md",  "troubleshooting.md",
                               "timeline.md",    "tabs.md",     "findings.md", "efficiency.md",
                               "what_if.md",     "glossary.md", "columns.md",  "perfetto.md",
                               "nsight.md",      "security.md", "compare.md",  "query.md",
                               "parallelism.md", "network.md",  "memory.md",   "scale.md"};

// The text of a line without Markdown syntax.
QString plainText(QString line) {
  static const QRegularExpression rule(QStringLiteral("^\\|[-| :]+\\|$"));
  static const QRegularExpression picture(QStringLiteral("!\\[([^\\]]*)\\]\\([^)]*\\)"));
  static const QRegularExpression link(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)"));
  static const QRegularExpression marks(QStringLiteral("</?kbd>|[*`|]|^[-#]+ "));
  if (rule.match(line).hasMatch()) return {};
  line.replace(picture, QStringLiteral("\\1"));
  line.replace(link, QStringLiteral("\\1"));
  line.replace(marks, QString());
  return line.simplified();
}

GuidePage pageOf(const QString& file) {
  GuidePage page{file, {}, {}};
  QFile source(QStringLiteral(":/help/") + file);
  if (source.open(QIODevice::ReadOnly)) page.markdown = QString::fromUtf8(source.readAll());
  static const QRegularExpression heading(QStringLiteral("^(#{1,4}) (.+)$"));
  bool code = false;
  for (const QString& line : page.markdown.split(QLatin1Char('\n'))) {
    if (line.startsWith(QLatin1String("```"))) {
      code = !code;
      continue;
    }
    if (const auto match = heading.match(line); !code && match.hasMatch()) {
      const QString title = plainText(match.captured(2));
      page.sections.push_back({title, anchorOf(title), static_cast<int>(match.capturedLength(1)), {}});
    } else if (!page.sections.empty()) {
      const QString text = code ? line : plainText(line);
      if (!text.isEmpty()) page.sections.back().text += text + QLatin1Char(' ');
    }
  }
  if (page.sections.empty()) page.sections.push_back({file, {}, 1, {}});
  return page;
}

bool holdsAll(const QString& text, const QStringList& words) {
  return std::ranges::all_of(words,
                             [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace

std::size_t GuidePage::sectionAt(const QString& anchor) const {
  const auto found = std::ranges::find(sections, anchor, &GuideSection::anchor);
  return found == sections.end() ? 0 : static_cast<std::size_t>(found - sections.begin());
}

const std::vector<GuidePage>& guidePages() {
  static const std::vector<GuidePage> pages = [] {
    std::vector<GuidePage> all;
    QStringList files;
    for (const char* file : kFiles) files << QString::fromLatin1(file);
    for (const QString& file : QDir(QStringLiteral(":/help")).entryList({QStringLiteral("*.md")}))
      if (!files.contains(file)) files << file;
    for (const QString& file : files) all.push_back(pageOf(file));
    return all;
  }();
  return pages;
}

int guidePageAt(const QString& file) {
  const auto found = std::ranges::find(guidePages(), file, &GuidePage::file);
  return found == guidePages().end() ? -1 : static_cast<int>(found - guidePages().begin());
}

QString anchorOf(const QString& title) {
  QString anchor;
  for (const QChar c : title.toLower()) {
    if (c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('-'))
      anchor += c;
    else if (c.isSpace())
      anchor += QLatin1Char('-');
  }
  return anchor;
}

std::vector<GuidePlace> guideHits(const QStringList& words) {
  std::vector<GuidePlace> titles, texts;
  if (words.isEmpty()) return titles;
  const std::vector<GuidePage>& pages = guidePages();
  for (std::size_t page = 0; page < pages.size(); ++page) {
    for (std::size_t at = 0; at < pages[page].sections.size(); ++at) {
      const GuideSection& section = pages[page].sections[at];
      if (holdsAll(section.title, words))
        titles.push_back({page, at});
      else if (holdsAll(section.title + QLatin1Char(' ') + section.text, words))
        texts.push_back({page, at});
    }
  }
  titles.insert(titles.end(), texts.begin(), texts.end());
  return titles;
}

} // namespace rankscope::ui
