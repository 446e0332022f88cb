// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of what to fetch of a remote: when it is opened by its address, and always when more than 2 GB
// would be fetched. Holds the question with what the remote has, and emits what to open once it is answered;
// a page shows it while asking(). UI thread.
#pragma once

#include "core/io/load/remote_traces.h"
#include "ui/job/load_job.h"

#include <QObject>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace rankscope::ui {

struct RemoteAnswer {
  std::optional<std::set<int>> ranks; // empty: all
  std::optional<int> capture;         // empty: all
  std::optional<std::string> node;    // empty: all
  std::set<std::string> without;      // paths of files that are not wanted
};

// Files of these ranks, this capture and this node, and those of which none is known, less the unwanted ones.
[[nodiscard]] std::vector<std::size_t> answeredFiles(const RemoteContents& contents,
                                                     const RemoteAnswer& answer);

class RemoteChooser : public QObject {
  Q_OBJECT
 public:
  // Follows the job: asks when a remote was listed, and withdraws the question when another job starts.
  explicit RemoteChooser(LoadJob& job, QObject* parent = nullptr);

  // The answers.
  void choose(const RemoteAnswer& answer);
  void leave();

  [[nodiscard]] bool asking() const { return m_contents != nullptr; }
  // REQUIRES: asking().
  [[nodiscard]] const RemoteContents& contents() const { return *m_contents; }

 signals:
  void asked();
  void left();
  // The options say what to fetch.
  void openWanted(const QStringList& paths, const rankscope::LoadOptions& options);

 private:
  std::shared_ptr<const RemoteContents> m_contents; // null: no question
  QStringList m_paths;
  LoadOptions m_options;
};

} // namespace rankscope::ui
