// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in user guide: the Markdown pages of resources/help with their sections, and a search over
// them. Read once, then constant; a few hundred kilobytes. UI thread.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace rankscope::ui {

struct GuideSection {
  QString title;
  QString anchor; // as in links, and as GitHub derives it from the title
  int level = 1;  // heading level; the first section of a page is the page itself
  QString text;   // without Markdown syntax, up to the next heading
};

struct GuidePage {
  QString file;     // "findings.md"
  QString markdown; // as it lies in the repository
  std::vector<GuideSection> sections;

  [[nodiscard]] const QString& title() const { return sections.front().title; }
  // Index of the section; the first for an unknown anchor.
  [[nodiscard]] std::size_t sectionAt(const QString& anchor) const;
};

// In reading order, the index first. Never empty.
[[nodiscard]] const std::vector<GuidePage>& guidePages();
// Index of the page; -1 for an unknown file.
[[nodiscard]] int guidePageAt(const QString& file);

// "GPU's clocks (`x`)" -> "gpus-clocks-x".
[[nodiscard]] QString anchorOf(const QString& title);

struct GuidePlace {
  std::size_t page = 0;
  std::size_t section = 0;

  bool operator==(const GuidePlace&) const = default;
};

// Sections that contain every word, case-insensitive; title matches first, then in guide order. Empty for
// no words.
[[nodiscard]] std::vector<GuidePlace> guideHits(const QStringList& words);

} // namespace rankscope::ui
