// SPDX-License-Identifier: GPL-3.0-or-later
// The links of the selection, and which of several ] and [ follow: one outgoing and one incoming link is
// chosen, initially the first. Owned by the session and updated before other listeners are notified of a
// new selection. UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/selection_links.h"

#include <QObject>
#include <QString>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

class LinkChoice : public QObject {
  Q_OBJECT

 public:
  LinkChoice(PendingWork& pending, QObject* parent) : QObject(parent), m_task(pending) {}

  // Finds the links of the selection from the data available so far. highlights: may be null; selected: may
  // be invalid.
  void follow(const std::shared_ptr<const TraceSet>& traces,
              const std::shared_ptr<const JobHighlights>& highlights, EventRef selected);
  void clear();

  // All that are drawn, in the order of selectionLinks.
  [[nodiscard]] const std::vector<SelectionLink>& links() const { return m_links; }
  // Ends that can be reached in this direction, each once.
  [[nodiscard]] std::size_t count(bool forward) const { return way(forward).links.size(); }
  // Index of the chosen one.
  [[nodiscard]] std::size_t place(bool forward) const { return way(forward).chosen; }
  [[nodiscard]] std::optional<SelectionLink> chosen(bool forward) const;
  // The other end of the chosen one; invalid without one.
  [[nodiscard]] EventRef target(bool forward) const;
  // Chooses the next one, cyclic.
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
  std::array<Way, 2> m_ways;      // back and forward
  std::array<bool, 2> m_byUser{}; // chosen by somebody, of this selection
  bool m_isComplete = false;      // all links of this selection were found once
  LatestTask<std::vector<SelectionLink>> m_task;
};

// "launch", "wait", ...
[[nodiscard]] QString linkTitle(LinkKind kind);

} // namespace rankscope::ui
