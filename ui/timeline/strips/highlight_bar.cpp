// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/strips/highlight_bar.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/job/job_highlights.h"
#include "ui/job/path_choice.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/picture/highlight_hatches.h"

#include <QHBoxLayout>
#include <QIcon>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kNameHeight = 16;
constexpr int kAroundNames = 10; // height above and below them
constexpr QSize kSwatch(22, 12);
constexpr QSize kSwitch(20, 12);
constexpr int kSwitchGap = 5;
constexpr int kNameGap = 4; // more than the style leaves
constexpr QSize kIcon(kSwitch.width() + kSwitchGap + kSwatch.width() + kNameGap, kSwatch.height());
constexpr QSize kCompactIcon(kSwatch.width() + kNameGap, kSwatch.height());
constexpr qreal kOffOpacity = 0.25; // of the swatch of a highlight that is off

int lineHeight() {
  return scaledToText(kNameHeight) + kAroundNames;
}

// A swatch of the highlight as it is drawn in the lanes.
// ratio: device pixels per logical pixel.
QImage swatchOf(bool HighlightOptions::*option, const Theme& theme, qreal ratio) {
  const qreal scale = ratio * textScale();
  QImage image(kSwatch * scale, QImage::Format_RGB32);
  image.fill(theme.background.rgb());
  SpanRaster raster(image);
  const int width = image.width();
  const int height = image.height();
  if (option == &HighlightOptions::idle) {
    raster.hatch(0, height, 0, width, idleHatch(theme, scale));
  } else if (option == &HighlightOptions::exposed) {
    raster.hatch(0, height, 0, width, exposedHatch(theme, scale));
  } else if (option == &HighlightOptions::waits) {
    raster.hatch(0, height, 0, width / 2, waitHatch(theme, scale, false));
    raster.hatch(0, height, width / 2, width,
                 {theme.communication.rgb(), theme.communication.rgb(), 6, 2, 0});
  } else {
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    if (option == &HighlightOptions::stragglers) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(theme.bad);
      painter.drawRoundedRect(QRectF(0, 1, 22, 10), 5, 5);
    } else {
      painter.setPen(QPen(theme.warn, 1.5));
      painter.drawLine(QPointF(3, 2), QPointF(19, 10));
      painter.setBrush(theme.warn);
      painter.drawEllipse(QPointF(3, 2), 1.5, 1.5);
      painter.drawEllipse(QPointF(19, 10), 1.5, 1.5);
    }
  }
  return image;
}

// Of the critical path: its line with an outlined segment; faded: beside a pale one.
QImage pathSwatch(bool faded, const Theme& theme, qreal ratio) {
  const qreal scale = ratio * textScale();
  QImage image(kSwatch * scale, QImage::Format_RGB32);
  image.fill(theme.background.rgb());
  QPainter painter(&image);
  painter.scale(scale, scale);
  const QRectF first(1, 1, 9, 10), second(12, 1, 9, 10);
  painter.fillRect(first, theme.kernel);
  painter.fillRect(second, faded ? withAlpha(theme.kernel, 64) : theme.kernel);
  painter.setPen(QPen(theme.accent, 2));
  painter.drawRect(first.adjusted(0, 0, -1, -1));
  if (!faded) painter.drawRect(second.adjusted(0, 0, -1, -1));
  return image;
}

void paintSwitch(QPainter& painter, const Theme& theme, bool on) {
  const QRectF pill(0.75, 0.75, kSwitch.width() - 1.5, kSwitch.height() - 1.5);
  painter.setPen(QPen(on ? theme.accent : theme.muted, 1.25));
  painter.setBrush(on ? QBrush(theme.accent) : QBrush(Qt::NoBrush));
  painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
  const qreal knob = pill.height() / 2 - 2;
  const QPointF middle((on ? pill.right() : pill.left()) + (on ? -1 : 1) * pill.height() / 2,
                       pill.center().y());
  painter.setPen(Qt::NoPen);
  painter.setBrush(on ? theme.panel : theme.muted);
  painter.drawEllipse(middle, knob, knob);
}

// A switch and the swatch next to it; compact: the swatch alone, which is pale while off.
QPixmap iconOf(const QImage& swatch, const Theme& theme, qreal ratio, bool on, bool compact) {
  const qreal scale = ratio * textScale();
  QPixmap icon((compact ? kCompactIcon : kIcon) * scale);
  icon.fill(Qt::transparent);
  QPainter painter(&icon);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(scale, scale);
  if (!compact) paintSwitch(painter, theme, on);
  painter.setOpacity(on ? 1 : kOffOpacity);
  painter.drawImage(QRectF(QPointF(compact ? 0 : kSwitch.width() + kSwitchGap, 0), QSizeF(kSwatch)), swatch);
  painter.end();
  icon.setDevicePixelRatio(ratio);
  return icon;
}

} // namespace

HighlightBar::HighlightBar(TraceSession& session, QWidget* parent) : QFrame(parent), m_session(session) {
  setObjectName(QStringLiteral("highlightBar"));
  setFixedHeight(lineHeight());
  auto* lines = new QVBoxLayout(this);
  lines->setContentsMargins(10, 0, 10, 0);
  lines->setSpacing(0);
  for (QHBoxLayout** const line : {&m_firstLine, &m_secondLine}) {
    *line = new QHBoxLayout;
    (*line)->setSpacing(4);
    lines->addLayout(*line, 1);
  }
  m_secondLine->addStretch();
  QHBoxLayout* const row = m_firstLine;
  addButton(*row, &HighlightOptions::idle, tr("Idle"),
            tr("GPU idle gaps with their cause; click one for details"));
  addButton(*row, &HighlightOptions::exposed, tr("Exposed"), tr("Communication not overlapped by compute"));
  addButton(*row, &HighlightOptions::waits, tr("Wait | transfer"),
            tr("Wait for the last rank and data transfer within collectives"));
  addButton(*row, &HighlightOptions::stragglers, tr("Stragglers"),
            tr("Ranks that other ranks wait for, with the gain per step"));
  addButton(*row, &HighlightOptions::links, tr("Links"),
            tr("Links of the selection: launch, operator, backward, the collective on other ranks"));
  addPathButtons(*row);
  m_allOn = new QToolButton;
  m_allOn->setObjectName(QStringLiteral("allOn"));
  m_allOn->setText(tr("All on"));
  m_allOn->setToolTip(tr("Show all highlights"));
  m_allOn->setFocusPolicy(Qt::TabFocus);
  row->addWidget(m_allOn);
  connect(m_allOn, &QToolButton::clicked, this,
          [this] { m_session.setHighlightOptions(HighlightOptions()); });
  row->addSpacing(10);
  m_text = new QLabel;
  m_text->setObjectName(QStringLiteral("caption"));
  m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(m_text, 1);
  const auto addStep = [&](const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("legend"));
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
    return button;
  };
  m_previous = addStep(QStringLiteral("‹"), tr("Previous hotspot (Shift+N)"));
  m_next = addStep(tr("Next hotspot (N)"), tr("Next hotspot, by cost (N)"));

  connect(m_previous, &QToolButton::clicked, this, &HighlightBar::showPreviousPlace);
  connect(m_next, &QToolButton::clicked, this, &HighlightBar::showNextPlace);
  connect(&session, &TraceSession::themeChanged, this, &HighlightBar::paintIcons);
  connect(&session, &TraceSession::highlightOptionsChanged, this, &HighlightBar::showOptions);
  connect(&session, &TraceSession::highlightsChanged, this, &HighlightBar::placesChanged);
  connect(&session, &TraceSession::traceChanged, this, &HighlightBar::placesChanged);
  paintIcons();
  showOptions();
  placesChanged();
}

QToolButton* HighlightBar::makeButton(QHBoxLayout& row, const QString& text, const QString& tip) {
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("legend"));
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleDescription(tip);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setIconSize(kIcon * textScale());
  button->setCheckable(true);
  button->setFocusPolicy(Qt::TabFocus);
  row.addWidget(button);
  m_named.push_back(button);
  return button;
}

void HighlightBar::addPathButtons(QHBoxLayout& row) {
  PathChoice& path = PathChoice::of(m_session);
  m_path =
      makeButton(row, tr("Critical path"), tr("What decided how long each step took, over all ranks (C)"));
  m_onlyCritical = makeButton(row, tr("Only critical"), tr("Fade everything else (Shift+C)"));
  connect(m_path, &QToolButton::toggled, &path, &PathChoice::setShown);
  connect(m_onlyCritical, &QToolButton::toggled, &path, &PathChoice::setOnlyCritical);
  connect(&path, &PathChoice::changed, this, &HighlightBar::showOptions);
}

void HighlightBar::addButton(QHBoxLayout& row, Option option, const QString& text, const QString& tip) {
  QToolButton* const button = makeButton(row, text, tip);
  m_buttons.emplace_back(option, button);
  connect(button, &QToolButton::toggled, this, [this, option](bool on) {
    HighlightOptions options = m_session.highlightOptions();
    options.*option = on;
    m_session.setHighlightOptions(options);
  });
}

void HighlightBar::showOptions() {
  for (const auto& [option, button] : m_buttons) {
    const QSignalBlocker quiet(button);
    button->setChecked(m_session.highlightOptions().*option);
  }
  const PathChoice& path = PathChoice::of(m_session);
  for (const auto& [button, on] :
       {std::pair(m_path, path.shown()), std::pair(m_onlyCritical, path.onlyCritical())}) {
    const QSignalBlocker quiet(button);
    button->setChecked(on);
  }
  m_onlyCritical->setVisible(path.shown());
  m_allOn->setVisible(m_session.highlightOptions() != HighlightOptions());
  fitNames();
}

void HighlightBar::paintIcons() {
  const Theme& theme = m_session.theme();
  const qreal ratio = devicePixelRatioF();
  const auto paint = [&](QToolButton* button, const QImage& swatch) {
    QIcon icon;
    for (const bool on : {false, true})
      icon.addPixmap(iconOf(swatch, theme, ratio, on, m_compact), QIcon::Normal, on ? QIcon::On : QIcon::Off);
    button->setIcon(icon);
  };
  for (const auto& [option, button] : m_buttons) paint(button, swatchOf(option, theme, ratio));
  paint(m_path, pathSwatch(false, theme, ratio));
  paint(m_onlyCritical, pathSwatch(true, theme, ratio));
}

void HighlightBar::placesChanged() {
  m_place.reset();
  const bool any = m_session.highlights() && !m_session.highlights()->places().empty();
  m_previous->setEnabled(any);
  m_next->setEnabled(any);
  showText();
}

void HighlightBar::showNextPlace() {
  if (!m_next->isEnabled()) return;
  const std::size_t count = m_session.highlights()->places().size();
  showPlace(m_place ? (*m_place + 1) % count : 0);
}

void HighlightBar::showPreviousPlace() {
  if (!m_previous->isEnabled()) return;
  const std::size_t count = m_session.highlights()->places().size();
  showPlace((m_place.value_or(0) + count - 1) % count);
}

void HighlightBar::showPlace(std::size_t index) {
  m_place = index;
  const CostlyPlace place = m_session.highlights()->places()[index];
  m_session.revealPlace(place.rank.valid() ? place.rank : place.event.rank, place.range);
  if (place.kind == PlaceKind::Gap)
    m_session.selectGap(GapRef{place.rank, place.range});
  else
    m_session.select(place.event);
  showText();
}

void HighlightBar::showText() {
  if (!m_session.highlights()) {
    m_fullText.clear();
  } else if (m_session.highlights()->places().empty()) {
    m_fullText = tr("No hotspots");
  } else if (!m_place) {
    m_fullText.clear();
  } else {
    const auto places = m_session.highlights()->places();
    const CostlyPlace& place = places[*m_place];
    m_fullText = tr("%1 of %2 · %3").arg(*m_place + 1).arg(places.size()).arg(place.text);
    const QString cost = QString::fromStdString(durationText(place.cost));
    if (place.kind == PlaceKind::Finding && !place.text.contains(cost))
      m_fullText += tr(" · %1 over all steps").arg(cost);
  }
  const QString shown =
      m_text->fontMetrics().elidedText(m_fullText, Qt::ElideRight, std::max(0, m_text->width()));
  // An ellipsis alone says nothing.
  m_text->setText(shown == QStringLiteral("…") ? QString() : shown);
  m_text->setToolTip(m_fullText);
}

// The second half of the switches moves to a line of its own, or back.
void HighlightBar::setLines(int count) {
  if (count == m_lines) return;
  m_lines = count;
  const auto staying = static_cast<int>((m_named.size() - 1) / 2);
  QHBoxLayout& from = count == 2 ? *m_firstLine : *m_secondLine;
  QHBoxLayout& to = count == 2 ? *m_secondLine : *m_firstLine;
  int place = count == 2 ? 0 : staying;
  const auto move = [&](QWidget* widget) {
    from.removeWidget(widget);
    to.insertWidget(place++, widget);
  };
  for (auto button = m_named.begin() + staying; button != m_named.end(); ++button) move(*button);
  move(m_allOn);
}

// Swatches beside names are pressed as well as switches.
void HighlightBar::setCompact(bool compact) {
  if (std::exchange(m_compact, compact) == compact) return;
  for (QToolButton* const button : m_named)
    button->setIconSize((compact ? kCompactIcon : kIcon) * textScale());
  paintIcons();
}

// If there is no space for names, they are shortened, then they are in two lines, then the switches go, then
// only switches, swatches and arrows are shown; their tooltips have the names.
void HighlightBar::fitNames() {
  placeNames();
  const int wanted = m_lines * lineHeight();
  if (height() == wanted) return;
  setFixedHeight(wanted);
  layout()->setGeometry(contentsRect()); // while hidden, no event tells the layout
  emit heightChanged();
}

void HighlightBar::placeNames() {
  const auto show = [this](Qt::ToolButtonStyle style, const QString& next, const QString& only, int lines = 1,
                           bool compact = false) {
    setCompact(compact);
    for (QToolButton* const button : m_named) button->setToolButtonStyle(style);
    m_next->setText(next);
    m_onlyCritical->setText(only);
    setLines(lines);
    layout()->activate();
    return layout()->minimumSize().width() <= width();
  };
  const QString next = tr("Next hotspot (N)");
  const QString arrow = QStringLiteral("›");
  const QString only = tr("Only critical");
  for (const auto& [following, fading] :
       {std::pair(next, only), std::pair(arrow, only), std::pair(arrow, tr("Only"))})
    if (show(Qt::ToolButtonTextBesideIcon, following, fading)) return;
  for (const QString& following : {next, arrow})
    if (show(Qt::ToolButtonTextBesideIcon, following, only, 2)) return;
  if (show(Qt::ToolButtonTextBesideIcon, arrow, tr("Only"), 2, true)) return;
  if (!show(Qt::ToolButtonIconOnly, next, only)) show(Qt::ToolButtonIconOnly, arrow, only);
}

void HighlightBar::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  fitNames();
  showText();
}

} // namespace rankscope::ui
