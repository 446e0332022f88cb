// SPDX-License-Identifier: GPL-3.0-or-later
// One page of the guide in the window's fonts and colors, with pictures at most as wide as the text. Links
// within the guide emit a signal; external links are only reported, never opened. UI thread.
#pragma once

#include "ui/base/theme.h"
#include "ui/help/help_guide.h"

#include <QTextBrowser>
#include <QTextDocument>

namespace rankscope::ui {

class HelpPage : public QTextBrowser {
  Q_OBJECT

 public:
  explicit HelpPage(QWidget* parent = nullptr);

  void setTheme(const Theme& theme);
  // Shows the section at the top and highlights the words.
  void showPlace(GuidePlace place, const QStringList& words);
  [[nodiscard]] GuidePlace place() const { return m_place; }

  QVariant loadResource(int type, const QUrl& name) override;

 signals:
  void placeWanted(rankscope::ui::GuidePlace place);
  void linkOutOf(const QString& address);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void render();
  void markWords();
  void toSection(std::size_t section);
  void follow(const QUrl& link);

  QTextDocument* m_document = nullptr; // that is shown, a child
  const Theme* m_theme;
  GuidePlace m_place;
  QStringList m_words;
  int m_renderedWidth = 0;
};

} // namespace rankscope::ui
