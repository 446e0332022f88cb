// SPDX-License-Identifier: GPL-3.0-or-later
// The registry of tabs. A tab is a folder and a line in the registry; bar, keys, --view, completions,
// manual page, exports and targets of findings follow from it.
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <span>

namespace rankscope::ui {

class TabPage;
struct TabContext;

// The scope of a tab's metrics.
enum class TabScope : std::uint8_t {
  Selection, // the range selected in the timeline, if there is one and the tabs follow it
  WholeJob,
};

struct TabSpec {
  const char* id;           // on the command line, in sessions and tests; the name of its folder
  const char* englishTitle; // see title()
  TabScope scope;
  TabPage* (*make)(const TabContext& context);

  [[nodiscard]] QString name() const { return QString::fromLatin1(id); }
  [[nodiscard]] QString title() const;
};

// In the order of the bar.
[[nodiscard]] std::span<const TabSpec> tabSpecs();
[[nodiscard]] QStringList tabIds();
// Position in the bar; -1 for an unknown id.
[[nodiscard]] int tabNamed(const QString& id);

} // namespace rankscope::ui
