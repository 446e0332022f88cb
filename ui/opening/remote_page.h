// SPDX-License-Identifier: GPL-3.0-or-later
// Asks which ranks, node, capture and files of a remote to fetch: what is there, how large it is, and how
// much of it is here already. All by default; figures and list follow the choice. Emits the choice.
#pragma once

#include "ui/job/remote_choice.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace rankscope::ui {

class RemotePage : public QWidget {
  Q_OBJECT
 public:
  explicit RemotePage(QWidget* parent = nullptr);

  void ask(const RemoteContents& contents);
  void takeFocus();

  // Empty if the text of ranks is none.
  [[nodiscard]] std::optional<RemoteAnswer> answer() const;

 signals:
  void fetchWanted(const rankscope::ui::RemoteAnswer& answer);
  void leaveWanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeCard();
  void makeList();
  void fillChoices();
  // Lists what the choice has, then says how much it is.
  void showChoice();
  void showFigure();
  void want(bool all);

  RemoteContents m_contents;
  QLabel* m_title;
  QLabel* m_text;
  QLineEdit* m_ranks;
  QComboBox* m_nodes;
  QComboBox* m_captures;
  std::set<std::string> m_without; // paths of unchecked files
  QTreeWidget* m_files;
  QLabel* m_figure;
  QPushButton* m_all;
  QPushButton* m_none;
  QPushButton* m_fetch;
  QPushButton* m_cancel;
};

// "0,3-5" as a set; nothing if the text is no list of ranks.
[[nodiscard]] std::optional<std::set<int>> ranksFromText(const QString& text);

} // namespace rankscope::ui
