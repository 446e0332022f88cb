// SPDX-License-Identifier: GPL-3.0-or-later
// The links of the selection, and which of several ] and [ follow: of those that lead away from the selected
// event one is chosen, and of those that lead to it another. The first one is until somebody chooses. Belongs
// to the session. What is found quickly is there whenever others hear of a new selection; the rest a worker
// finds, and changed() tells. UI thread.
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

  // Finds the links of what is selected now, with what is known by now. highlights: may be null; selected:
  // invalid for nothing.
  void follow(const std::shared_ptr<const TraceSet>& traces,
              const std::shared_ptr<const JobHighlights>& highlights, EventRef selected);
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
  LatestTask<std::vector<SelectionLink>> m_task;
};

// "launch", "wait", ...
[[nodiscard]] QString linkTitle(LinkKind kind);

} // namespace rankscope::ui
