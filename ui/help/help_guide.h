// SPDX-License-Identifier: GPL-3.0-or-later
// The user guide that is built into the program: the Markdown pages of resources/help with their sections,
// and which sections hold some words. Read once, then constant; a few hundred kilobytes. UI thread.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace rankscope::ui {

struct GuideSection {
  QString title;
  QString anchor; // as links name it, and as GitHub makes it from the title
  int level = 1;  // of its heading; the first section of a page is the page itself
  QString text;   // without marks, down to the next heading
};

struct GuidePage {
  QString file;     // "findings.md"
  QString markdown; // as it lies in the repository
  std::vector<GuideSection> sections;

  [[nodiscard]] const QString& title() const { return sections.front().title; }
  // Position of the section; the first for an anchor that is none.
  [[nodiscard]] std::size_t sectionAt(const QString& anchor) const;
};

// In the order in which they are read, the index first. Never empty.
[[nodiscard]] const std::vector<GuidePage>& guidePages();
// Position of the page; nothing but -1 for a file that is none of them.
[[nodiscard]] int guidePageAt(const QString& file);

// "GPU's clocks (`x`)" -> "gpus-clocks-x".
[[nodiscard]] QString anchorOf(const QString& title);

struct GuidePlace {
  std::size_t page = 0;
  std::size_t section = 0;

  bool operator==(const GuidePlace&) const = default;
};

// Sections that hold every word, in any case; those with all of them in their title first, else in the order
// of the guide. Nothing for no words.
[[nodiscard]] std::vector<GuidePlace> guideHits(const QStringList& words);

} // namespace rankscope::ui
