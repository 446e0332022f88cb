// SPDX-License-Identifier: GPL-3.0-or-later
// The links of the selection, and which of several ] and [ follow: of those that lead away from the selected
// event one is chosen, and of those that lead to it another. The first one is until somebody chooses. Belongs
// to the session and is up to date whenever others hear of a new selection. UI thread.
#pragma once

#include "ui/job/selection_links.h"

#include <QObject>
#include <QString>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope::ui {

class LinkChoice : public QObject {
  Q_OBJECT

 public:
  explicit LinkChoice(QObject* parent) : QObject(parent) {}

  // Finds the links of what is selected now, with what is known by now. highlights: may be null; selected:
  // invalid for nothing.
  void follow(const TraceSet& traces, const JobHighlights* highlights, EventRef selected);
  void clear();

  // All that are drawn, in the order of selectionLinks.
  [[nodiscard]] const std::vector<SelectionLink>& links() const { return m_links; }
  // Ends that can be reached in this direction, each once.
  [[nodiscard]] std::size_t count(bool forward) const { return way(forward).links.size(); }
  // Which of them is chosen, from 0.
  [[nodiscard]] std::size_t place(bool forward) const { return way(forward).chosen; }
  [[nodiscard]] std::optional<SelectionLink> chosen(bool forward) const;
  // Where the chosen one leads; invalid without one.
  [[nodiscard]] EventRef target(bool forward) const;
  // Chooses the one after it, after the last one the first.
  void chooseNext(bool forward);

 signals:
  // Another one was chosen, or the same selection has other links.
  void changed();

 private:
  struct Way {
    std::vector<std::size_t> links; // positions in m_links
    std::size_t chosen = 0;
  };
  void take(EventRef selected, std::vector<SelectionLink> links);
  [[nodiscard]] const Way& way(bool forward) const { return m_ways[forward ? 1 : 0]; }

  EventRef m_of;
  std::vector<SelectionLink> m_links;
  std::array<Way, 2> m_ways; // back and forward
};

// "launch", "wait", ...
[[nodiscard]] QString linkTitle(LinkKind kind);

} // namespace rankscope::ui
