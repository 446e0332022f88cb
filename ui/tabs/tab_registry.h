// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs that there are. A tab is a folder here and a line in the registry; the bar, the keys, --view, the
// completions, the manual page, exports and where findings lead follow from it.
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <span>

namespace rankscope::ui {

class TabPage;
struct TabContext;

// Of what the figures of a tab are.
enum class TabScope : std::uint8_t {
  Selection, // of the range that is selected in the timeline, while there is one and the tabs follow it
  WholeJob,
};

struct TabSpec {
  const char* id;           // of the command line, of session and test; the name of its folder
  const char* englishTitle; // see title()
  TabScope scope;
  TabPage* (*make)(const TabContext& context);

  [[nodiscard]] QString name() const { return QString::fromLatin1(id); }
  [[nodiscard]] QString title() const;
};

// In the order of the bar.
[[nodiscard]] std::span<const TabSpec> tabSpecs();
[[nodiscard]] QStringList tabIds();
// Position in the bar; -1 for an id that no tab has.
[[nodiscard]] int tabNamed(const QString& id);

} // namespace rankscope::ui
