// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_card.h"

#include "ui/base/save_file.h"
#include "ui/base/text_scale.h"
#include "ui/base/workers.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/caption_place.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/wrapped_label.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QStackedWidget>
#include <QSvgGenerator>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kSwatch = 10;
constexpr int kSwatchGap = 6;
constexpr int kItemGap = 18;
constexpr int kLegendRow = 18;
// Of a picture: its width is that of a page.
constexpr int kDrawingWidth = 1150;
constexpr int kNarrowDrawingWidth = 640; // where a page of this width shows texts in their size
constexpr int kDrawingMargin = 16;
constexpr int kDrawingGap = 6;
constexpr int kLeastDrawing = 60; // height of the chart

} // namespace

// Wraps its items into as many rows as they need.
class ChartCard::Legend : public QWidget {
 public:
  explicit Legend(const TraceSession& session) : m_session(session) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
  }

  void setItems(std::vector<LegendItem> items) {
    m_items = std::move(items);
    setVisible(!m_items.empty() && m_wanted);
    updateGeometry();
    update();
  }

  void setWanted(bool wanted) {
    m_wanted = wanted;
    setVisible(!m_items.empty() && m_wanted);
  }

  void paintInto(QPainter& painter, int width) const { layOut(width, &painter); }

  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override { return layOut(width, nullptr); }
  [[nodiscard]] QSize sizeHint() const override { return {200, layOut(width(), nullptr)}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    layOut(width(), &painter);
  }

 private:
  int layOut(int width, QPainter* painter) const {
    const QFont font = textFont(12);
    const QFontMetrics metrics(font);
    int x = 0;
    int y = 0;
    for (const LegendItem& item : m_items) {
      const int wide = scaledToText(kSwatch + kSwatchGap) + metrics.horizontalAdvance(item.name);
      if (x > 0 && x + wide > width) {
        x = 0;
        y += scaledToText(kLegendRow);
      }
      if (painter != nullptr)
        paintItem(*painter, item, font, QRect(x, y, wide + 2, scaledToText(kLegendRow)));
      x += wide + scaledToText(kItemGap);
    }
    return m_items.empty() ? 0 : y + scaledToText(kLegendRow);
  }

  void paintItem(QPainter& painter, const LegendItem& item, const QFont& font, QRect box) const {
    const Theme& theme = m_session.theme();
    const QRectF swatch(box.left(), box.center().y() - scaledToText(kSwatch) / 2.0 + 1, scaledToText(kSwatch),
                        scaledToText(kSwatch));
    if (item.line) {
      painter.setPen(QPen(theme.*item.color, 2, item.hatched ? Qt::DashLine : Qt::SolidLine));
      painter.drawLine(swatch.topLeft() + QPointF(0, scaledToText(kSwatch) / 2.0),
                       swatch.topRight() + QPointF(2, scaledToText(kSwatch) / 2.0));
    } else {
      painter.setPen(Qt::NoPen);
      painter.setBrush(chartFill(theme, item.color, item.strength));
      painter.drawRoundedRect(swatch, 2, 2);
      if (item.hatched) paintHatch(painter, swatch.adjusted(1, 1, -1, -1), theme.*item.color);
    }
    painter.setFont(font);
    painter.setPen(theme.muted);
    painter.drawText(box.adjusted(scaledToText(kSwatch + kSwatchGap), 0, 0, 0), Qt::AlignVCenter, item.name);
  }

  const TraceSession& m_session;
  std::vector<LegendItem> m_items;
  bool m_wanted = true;
};

ChartCard::ChartCard(const QString& title, QWidget* chart, const TraceSession& session, QWidget* parent)
    : QFrame(parent), m_session(session), m_pending(session.pending()), m_title(new QLabel(title)),
      m_caption(new WrappedLabel), m_legend(new Legend(session)), m_stack(new QStackedWidget),
      m_empty(new QLabel), m_scroll(new QScrollArea) {
  setObjectName(QStringLiteral("card"));
  m_title->setObjectName(QStringLiteral("cardTitle"));
  m_caption->setObjectName(QStringLiteral("caption"));
  m_empty->setObjectName(QStringLiteral("emptyText"));
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_legend->hide();
  chart->setAccessibleName(title);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setWidget(chart);
  // The background of the card is visible.
  m_scroll->viewport()->setAutoFillBackground(false);
  chart->setAutoFillBackground(false);
  m_stack->addWidget(m_scroll);
  m_stack->addWidget(m_empty);

  auto* top = new QHBoxLayout;
  top->setSpacing(10);
  top->addWidget(m_title);
  top->addStretch();
  top->addWidget(m_caption);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 14, 18, 14);
  column->setSpacing(8);
  column->addLayout(top);
  column->addWidget(m_legend);
  column->addWidget(m_stack, 1);
  new CaptionPlace(*this, *top, *m_caption);
  m_title->setToolTip(tr("Right click: copy the chart, or save it as PNG or SVG"));
  auto* copy = new QShortcut(QKeySequence::Copy, this);
  copy->setContext(Qt::WidgetWithChildrenShortcut);
  connect(copy, &QShortcut::activated, this, &ChartCard::copyPicture);
  connect(&session, &TraceSession::themeChanged, m_legend, qOverload<>(&QWidget::update));
  connect(this, &ChartCard::saved, this, [this](const QString& path, const QString& problem) {
    if (problem.isEmpty()) return;
    auto* const box = new QMessageBox(QMessageBox::Warning, tr("Save chart"), tr("%1: %2").arg(path, problem),
                                      QMessageBox::Ok, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  });
}

void ChartCard::setTitle(const QString& title) {
  m_title->setText(title);
}

QString ChartCard::title() const {
  return m_title->text();
}

void ChartCard::setCaption(const QString& caption, const QString& hint) {
  m_said = caption;
  m_caption->setText(caption.isEmpty() || hint.isEmpty() ? caption + hint : tr("%1 · %2").arg(caption, hint));
}

void ChartCard::setLegend(std::vector<LegendItem> items) {
  m_legend->setItems(std::move(items));
}

void ChartCard::setEmptyText(const QString& text) {
  m_empty->setText(text);
  m_stack->setCurrentIndex(text.isEmpty() ? 0 : 1);
  m_legend->setWanted(text.isEmpty());
}

void ChartCard::addControl(QWidget* control) {
  static_cast<QHBoxLayout*>(layout()->itemAt(0)->layout())->addWidget(control);
}

void ChartCard::setLeastChartHeight(int height) {
  m_scroll->setMinimumHeight(height);
}

QString ChartCard::fileName() const {
  static const QRegularExpression outlier(QStringLiteral("[^a-z0-9]+"));
  return m_title->text().toLower().replace(outlier, QStringLiteral("-"));
}

bool ChartCard::hasChart() const {
  return m_stack->currentIndex() == 0;
}

QString ChartCard::choicesText() const {
  QStringList texts;
  for (const QComboBox* const box : findChildren<QComboBox*>())
    if (!box->isHidden() && !box->currentText().isEmpty()) texts << box->currentText();
  for (const ChoiceRow* const row : findChildren<ChoiceRow*>())
    if (!row->isHidden()) texts << row->chosenText();
  if (!m_said.isEmpty()) texts << m_said;
  return texts.join(QStringLiteral(" · "));
}

struct ChartCard::Drawing {
  QSize size;
  QRect title;
  QRect caption;
  QRect legend;
  QRect chart;
};

// The chart's own height at a width that a page has, whatever the card's size is.
ChartCard::Drawing ChartCard::drawing(Page page) const {
  const QWidget* chart = m_scroll->widget();
  if (const auto* const stack = qobject_cast<const QStackedWidget*>(chart)) chart = stack->currentWidget();
  const int width =
      scaledToText(page == Page::Wide ? kDrawingWidth : kNarrowDrawingWidth) - 2 * kDrawingMargin;
  const int line = QFontMetrics(textFont(13, QFont::DemiBold)).height();
  const int high = std::max(chart->sizeHint().height(), chart->minimumSizeHint().height());
  Drawing drawing;
  drawing.title = QRect(kDrawingMargin, kDrawingMargin, width, line);
  int y = drawing.title.bottom() + kDrawingGap;
  if (!choicesText().isEmpty()) {
    const QRect words =
        QFontMetrics(textFont(12))
            .boundingRect(QRect(0, 0, width, QWIDGETSIZE_MAX), Qt::TextWordWrap, choicesText());
    drawing.caption = QRect(kDrawingMargin, y, width, words.height());
    y = drawing.caption.bottom() + kDrawingGap;
  }
  if (const int legend = m_legend->isHidden() ? 0 : m_legend->heightForWidth(width); legend > 0) {
    drawing.legend = QRect(kDrawingMargin, y, width, legend);
    y = drawing.legend.bottom() + kDrawingGap;
  }
  drawing.chart = QRect(kDrawingMargin, y, width, std::max(high, scaledToText(kLeastDrawing)));
  drawing.size = QSize(width + 2 * kDrawingMargin, drawing.chart.bottom() + kDrawingMargin);
  return drawing;
}

void ChartCard::draw(QPaintDevice& onto, const Drawing& drawing) {
  const Theme& theme = m_session.theme();
  QPainter painter(&onto);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(QRect(QPoint(), drawing.size), theme.panel);
  const auto write = [&](QRect box, const QFont& font, QColor color, const QString& text) {
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
  };
  write(drawing.title, textFont(13, QFont::DemiBold), theme.text, m_title->text());
  if (!drawing.caption.isEmpty()) {
    painter.setFont(textFont(12));
    painter.setPen(theme.muted);
    painter.drawText(drawing.caption, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, choicesText());
  }
  if (!drawing.legend.isEmpty()) {
    painter.translate(drawing.legend.topLeft());
    m_legend->paintInto(painter, drawing.legend.width());
    painter.resetTransform();
  }
  drawChart(painter, drawing.chart.topLeft(), drawing.chart.size());
}

// While it is drawn, the chart has another size than the card gives it; this is not visible.
void ChartCard::drawChart(QPainter& painter, QPoint at, QSize size) {
  QWidget* const chart = m_scroll->widget();
  polishWithChildren(*chart);
  // What the mouse is over is no part of the picture.
  QEvent leave(QEvent::Leave);
  QCoreApplication::sendEvent(chart, &leave);
  const QSize present = chart->size();
  const int scrolled = m_scroll->verticalScrollBar()->value();
  m_scroll->setWidgetResizable(false);
  chart->resize(size);
  // A hidden widget learns its size when it is drawn, and layouts of charts follow by posted requests.
  QImage nothing(1, 1, QImage::Format_RGB32);
  chart->render(&nothing, {}, QRegion(0, 0, 1, 1), QWidget::DrawChildren);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  chart->render(&painter, at, {}, QWidget::DrawChildren);
  chart->resize(present);
  m_scroll->setWidgetResizable(true);
  m_scroll->verticalScrollBar()->setValue(scrolled);
}

namespace {

// Items that draw nothing are groups, too, at places that depend on earlier sizes of the chart.
QByteArray withoutEmptyGroups(const QByteArray& svg) {
  static const QRegularExpression kEmpty(QStringLiteral("<g [^>]*>\\s*</g>\\s*"));
  return QString::fromUtf8(svg).remove(kEmpty).toUtf8();
}

} // namespace

QByteArray ChartCard::svg(Page page) {
  QByteArray file;
  QBuffer buffer(&file);
  const Drawing whole = drawing(page);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(whole.size);
  generator.setViewBox(QRect(QPoint(), whole.size));
  generator.setTitle(m_title->text());
  draw(generator, whole);
  return withoutEmptyGroups(file);
}

QPixmap ChartCard::wholePicture() {
  const Drawing whole = drawing();
  QPixmap picture(whole.size * devicePixelRatioF());
  picture.setDevicePixelRatio(devicePixelRatioF());
  draw(picture, whole);
  return picture;
}

void ChartCard::copyPicture() {
  QGuiApplication::clipboard()->setPixmap(wholePicture());
}

void ChartCard::exportPicture() {
  QString path = QFileDialog::getSaveFileName(this, tr("Save chart"), fileName() + QStringLiteral(".png"),
                                              tr("Pictures (*.png *.svg)"));
  if (path.isEmpty()) return;
  const bool known = path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive) ||
                     path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
  if (!known) path += QStringLiteral(".png");
  savePicture(path);
}

void ChartCard::savePicture(const QString& path) {
  const bool isDrawing = path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
  const auto pending = std::make_shared<PendingWork::Token>(m_pending.begin());
  runOnWorker(
      this,
      [path, drawing = isDrawing ? svg() : QByteArray(), picture = isDrawing ? QImage() : image()] {
        return (picture.isNull() ? saveFile(path, drawing) : savePng(path, picture)).value_or(QString());
      },
      [this, path, pending](const Result<QString>& done) {
        emit saved(path, done ? *done : QString::fromStdString(done.error().text()));
      });
}

void ChartCard::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction(tr("Copy picture"), this, &ChartCard::copyPicture);
  menu.addAction(tr("Save as PNG or SVG …"), this, &ChartCard::exportPicture);
  menu.exec(event->globalPos());
}

} // namespace rankscope::ui
