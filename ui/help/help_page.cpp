// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/help_page.h"

#include "ui/base/text_scale.h"
#include "ui/widgets/text_page.h"

#include <QAbstractTextDocumentLayout>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextTable>

#include <algorithm>
#include <array>

namespace rankscope::ui {

namespace {

constexpr int kTextSize = 13;
constexpr int kMaxTextWidth = 860;
constexpr int kMargin = 24;
constexpr std::array kHeadingSizes = {22, 17, 14, 13};

// Keys are rendered as code; the rest is Markdown.
QString prepared(QString markdown) {
  static const QRegularExpression key(QStringLiteral("<kbd>(.*?)</kbd>"));
  return markdown.replace(key, QStringLiteral("`\\1`"));
}

std::vector<QTextBlock> headingsOf(const QTextDocument& document) {
  std::vector<QTextBlock> headings;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
    if (block.blockFormat().headingLevel() > 0) headings.push_back(block);
  return headings;
}

// Line heights apply to pictures as well.
bool isPicture(const QTextBlock& block) {
  const auto first = block.begin();
  return !first.atEnd() && first.fragment().charFormat().isImageFormat();
}

bool isCodeBlock(const QTextBlock& block) {
  return block.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
}

void setBlockFormats(QTextDocument& page, const Theme& theme) {
  const QString fixed = numberFont(kTextSize).family();
  struct Part {
    int begin = 0;
    int end = 0;
    QTextCharFormat format;
  };
  std::vector<Part>
      parts; // character formats: applied after collection, because applying them changes fragment bounds
  for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
    const int level = block.blockFormat().headingLevel();
    const bool codeBlock = isCodeBlock(block);
    for (auto at = block.begin(); !at.atEnd(); ++at) {
      const QTextFragment fragment = at.fragment();
      QTextCharFormat text = fragment.charFormat();
      if (text.isImageFormat()) continue;
      const bool code = text.fontFixedPitch() || codeBlock;
      const int size =
          level > 0 ? kHeadingSizes[static_cast<std::size_t>(std::min(level, 4)) - 1] : kTextSize;
      text.clearProperty(QTextFormat::FontSizeAdjustment);
      text.setFontFamilies({code ? fixed : textFont(size).family()});
      text.setProperty(QTextFormat::FontPixelSize, scaledToText(code && level == 0 ? size - 1 : size));
      if (level > 0) text.setFontWeight(QFont::DemiBold);
      if (code && level == 0 && !codeBlock) text.setBackground(theme.raised);
      text.setForeground(text.isAnchor() ? theme.accent : theme.text);
      text.setFontUnderline(false);
      parts.push_back({fragment.position(), fragment.position() + fragment.length(), text});
    }
  }
  QTextCursor cursor(&page);
  for (const Part& part : parts) {
    cursor.setPosition(part.begin);
    cursor.setPosition(part.end, QTextCursor::KeepAnchor);
    cursor.setCharFormat(part.format);
  }
  for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
    cursor.setPosition(block.position());
    QTextBlockFormat format = block.blockFormat();
    const int level = format.headingLevel();
    const bool inTable = cursor.currentTable() != nullptr;
    format.setTopMargin(level > 0 ? scaledToText(level < 3 ? 20 : 14) : 0);
    format.setBottomMargin(inTable || isCodeBlock(block) ? 0 : scaledToText(7));
    if (!inTable && !isCodeBlock(block) && !isPicture(block))
      format.setLineHeight(130, QTextBlockFormat::ProportionalHeight);
    if (isCodeBlock(block)) {
      format.setBackground(theme.panel);
      format.setLeftMargin(scaledToText(8));
    }
    cursor.setBlockFormat(format);
  }
}

void setTableFormats(QTextDocument& page, const Theme& theme) {
  for (QTextFrame* frame : page.rootFrame()->childFrames()) {
    auto* const table = qobject_cast<QTextTable*>(frame);
    if (table == nullptr) continue;
    QTextTableFormat format = table->format();
    format.setBorder(1);
    format.setBorderCollapse(true);
    format.setBorderBrush(theme.line);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setCellPadding(scaledToText(5));
    format.setCellSpacing(0);
    format.setBottomMargin(scaledToText(12));
    format.setTopMargin(scaledToText(4));
    table->setFormat(format);
    for (int column = 0; column < table->columns(); ++column) {
      QTextTableCell cell = table->cellAt(0, column);
      QTextCharFormat head = cell.format();
      head.setBackground(theme.panel);
      cell.setFormat(head);
    }
  }
}

} // namespace

HelpPage::HelpPage(QWidget* parent) : QTextBrowser(parent), m_theme(&Theme::of(ThemeName::Dark)) {
  setUpTextPage(*this, kMargin);
  setObjectName(QStringLiteral("helpPage"));
  setAccessibleName(tr("Guide page"));
  connect(this, &QTextBrowser::anchorClicked, this, &HelpPage::follow);
}

void HelpPage::setTheme(const Theme& theme) {
  m_theme = &theme;
  setStyleSheet(withTextScale(QStringLiteral("QTextBrowser { background: %1; color: %2; border: none; }")
                                  .arg(theme.background.name(), theme.text.name())));
  render();
}

void HelpPage::showPlace(GuidePlace place, const QStringList& words) {
  const bool same = place.page == m_place.page && words == m_words && m_renderedWidth > 0;
  m_place = place;
  m_words = words;
  if (!same) render();
  toSection(place.section);
}

// A new document each time: formats are applied before the layout.
void HelpPage::render() {
  const int bar = verticalScrollBar()->value();
  m_renderedWidth = viewport()->width();
  auto* const page = new QTextDocument(this); // the parent loads pictures
  page->setUndoRedoEnabled(false);
  page->setDocumentMargin(std::max(kMargin, (m_renderedWidth - scaledToText(kMaxTextWidth)) / 2));
  page->setDefaultFont(textFont(kTextSize));
  page->setMarkdown(prepared(guidePages()[m_place.page].markdown), QTextDocument::MarkdownDialectGitHub);
  setBlockFormats(*page, *m_theme);
  setTableFormats(*page, *m_theme);
  setExtraSelections({}); // they refer to the old document
  setDocument(page);
  // A scroll bar may appear or disappear, which resizes the page and renders it again.
  if (document() != page) {
    page->deleteLater();
    return;
  }
  // Queued, because a page may be resized while its children are shown one by one.
  if (m_document != nullptr) m_document->deleteLater();
  m_document = page;
  markWords();
  verticalScrollBar()->setValue(bar);
}

void HelpPage::markWords() {
  QList<QTextEdit::ExtraSelection> marked;
  QColor ground = m_theme->warn;
  ground.setAlphaF(0.35F);
  for (const QString& word : m_words) {
    for (QTextCursor at = document()->find(word); !at.isNull(); at = document()->find(word, at)) {
      QTextEdit::ExtraSelection selection;
      selection.cursor = at;
      selection.format.setBackground(ground);
      marked << selection;
    }
  }
  setExtraSelections(marked);
}

void HelpPage::toSection(std::size_t section) {
  const std::vector<QTextBlock> headings = headingsOf(*document());
  if (section == 0 || section >= headings.size()) {
    verticalScrollBar()->setValue(0);
    return;
  }
  const QTextBlock& heading = headings[section];
  setTextCursor(QTextCursor(heading));
  const QRectF place = document()->documentLayout()->blockBoundingRect(heading);
  verticalScrollBar()->setValue(static_cast<int>(place.top()) - scaledToText(8));
}

void HelpPage::follow(const QUrl& link) {
  const QString file = link.path();
  const int page = file.isEmpty() ? static_cast<int>(m_place.page) : guidePageAt(file);
  if (!link.scheme().isEmpty() || !link.host().isEmpty() || page < 0) {
    emit linkOutOf(link.toString());
    return;
  }
  const auto at = static_cast<std::size_t>(page);
  emit placeWanted({at, guidePages()[at].sectionAt(link.fragment())});
}

// Built-in resources only; pictures are scaled to the text width here, with smooth scaling.
QVariant HelpPage::loadResource(int type, const QUrl& name) {
  if (type != QTextDocument::ImageResource) return {};
  QImage image(QStringLiteral(":/help/pictures/") + name.fileName());
  if (image.isNull()) return {};
  const int space = viewport()->width() - 2 * static_cast<int>(document()->documentMargin());
  const qreal ratio = devicePixelRatioF();
  const int width = std::min(image.width(), std::max(200, static_cast<int>(space * ratio)));
  image = image.scaledToWidth(width, Qt::SmoothTransformation);
  image.setDevicePixelRatio(ratio);
  return image;
}

void HelpPage::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  if (m_renderedWidth == 0 || viewport()->width() == m_renderedWidth) return;
  render();
}

} // namespace rankscope::ui
