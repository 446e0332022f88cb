// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/details_panel.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/details/argument_text.h"
#include "ui/details/collective_panel.h"
#include "ui/job/job_highlights.h"
#include "ui/job/link_choice.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/text_page.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextTable>
#include <QUrl>
#include <QUrlQuery>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

const QString kEventScheme = QStringLiteral("event");
const QString kRanksScheme = QStringLiteral("ranks"); // of the selected collective

QString escaped(const QString& text) {
  return text.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"));
}

QString urlOf(EventRef target) {
  return QStringLiteral("%1:%2/%3").arg(kEventScheme).arg(target.rank.value).arg(target.event.value);
}

// The recorded number, if it is more precise than the formatted text.
QString valueText(const EventField& field) {
  return textOf(argumentText(field));
}

QString lastingText(TimeNs duration) {
  return textOf(durationText(duration));
}

// Histogram of the durations of all calls with this name; the bin of this call has another color. Heights
// follow the square root of the count, so that one call among thousands is visible.
QImage histogramPicture(const NameStatistics& statistics, const Theme& theme, QSize size, qreal ratio) {
  QImage image(size * ratio, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  const double step = static_cast<double>(size.width()) / NameStatistics::kBuckets;
  const double most = std::sqrt(static_cast<double>(*std::ranges::max_element(statistics.histogram)));
  for (std::size_t i = 0; i < NameStatistics::kBuckets; ++i) {
    if (statistics.histogram[i] == 0) continue;
    const double height =
        std::max(2.0, std::sqrt(static_cast<double>(statistics.histogram[i])) / most * (size.height() - 2));
    painter.fillRect(
        QRectF(static_cast<double>(i) * step, size.height() - 1 - height, std::max(1.0, step - 1), height),
        i == statistics.ownBucket ? theme.warn : theme.accent);
  }
  painter.fillRect(QRectF(0, size.height() - 1, size.width(), 1), theme.line);
  return image;
}

class Html {
 public:
  explicit Html(const Theme& theme) : m_theme(theme) {}

  void raw(const QString& html) { m_text += html; }
  // The cells of a row start with it too, so that they keep their distance from the title.
  void beginSection(const QString& title) {
    m_text +=
        QStringLiteral("<table width='100%' cellspacing='0' cellpadding='0'><tr><td colspan='2' "
                       "style='color:%1; font-size:11px; font-weight:600; padding-bottom:5px'>%2</td></tr>")
            .arg(m_theme.muted.name(), escaped(title));
  }
  void note(const QString& text) {
    m_text += QStringLiteral("<tr><td colspan='2' style='color:%1'>%2</td></tr>")
                  .arg(m_theme.muted.name(), escaped(text));
  }
  // value is HTML.
  void row(const QString& key, const QString& value, bool figure) {
    m_text += QStringLiteral("<tr><td style='color:%1; padding-right:14px; padding-bottom:3px'>%2</td>"
                             "<td style='padding-bottom:3px;%3'>%4</td></tr>")
                  .arg(m_theme.muted.name(), escaped(key),
                       figure ? QStringLiteral("font-family:\"%1\"").arg(numberFont(12).family()) : QString(),
                       value);
  }
  void endSection() { m_text += QStringLiteral("</table>"); }

  [[nodiscard]] const QString& text() const { return m_text; }

 private:
  const Theme& m_theme;
  QString m_text;
};

// The column of keys is as wide as the longest key, within limits; values get the rest and wrap. Widths are
// set per section, because HTML widths do not apply to nested tables.
void fitKeys(QTextFrame& frame) {
  constexpr int kMaxKeyWidth = 96;
  constexpr int kDistance = 18; // padding, and room for a font that is hinted wider
  for (QTextFrame* const child : frame.childFrames()) {
    fitKeys(*child);
    auto* const table = qobject_cast<QTextTable*>(child);
    if (!table || table->columns() != 2 || !child->childFrames().isEmpty()) continue;
    qreal width = 0;
    for (int row = 0; row < table->rows(); ++row) {
      const QTextTableCell cell = table->cellAt(row, 0);
      if (cell.columnSpan() > 1) continue;
      const QTextBlock key = cell.firstCursorPosition().block();
      width = std::max(width, QFontMetricsF(key.charFormat().font()).horizontalAdvance(key.text()));
    }
    QTextTableFormat format = table->format();
    width = std::min<qreal>(std::ceil(width), scaledToText(kMaxKeyWidth)) + kDistance;
    format.setColumnWidthConstraints(
        {QTextLength(QTextLength::FixedLength, width), QTextLength(QTextLength::PercentageLength, 100)});
    table->setFormat(format);
  }
}

} // namespace

DetailsPanel::DetailsPanel(TraceSession& session, QWidget* parent)
    : QTextBrowser(parent), m_session(session), m_reading(session.pending()), m_comparing(session.pending()) {
  setUpTextPage(*this, 14);
  setAccessibleName(tr("Details of the selected slice"));
  connect(this, &QTextBrowser::anchorClicked, this, &DetailsPanel::followLink);
  connect(&m_session, &TraceSession::selectionChanged, this, &DetailsPanel::showSelection);
  connect(&m_session, &TraceSession::traceChanged, this, &DetailsPanel::showSelection);
  connect(&m_session, &TraceSession::themeChanged, this, &DetailsPanel::render);
  connect(&m_session, &TraceSession::highlightsChanged, this, [this] {
    if (m_shown.valid() && m_session.trace() == m_shownTrace) render();
  });
  connect(&m_session.links(), &LinkChoice::changed, this, [this] {
    if (m_session.selection() == m_shown && m_session.trace() == m_shownTrace) render();
  });
  showSelection();
}

void DetailsPanel::showSelection() {
  const EventRef selection = m_session.selection();
  const std::shared_ptr<const TraceSet> trace = m_session.trace();
  const bool sameEvent = trace && m_shownTrace && selection.valid() && m_shown.valid() &&
                         selection.event == m_shown.event &&
                         trace->rank(selection.rank).trace == m_shownTrace->rank(m_shown.rank).trace;
  m_shown = trace ? selection : EventRef{};
  m_shownTrace = trace;
  m_facts = m_shown.valid() ? eventFacts(*trace, m_shown) : EventFacts{};
  if (!sameEvent) {
    m_arguments.clear();
    m_argumentsNote.clear();
    m_reading.drop();
    m_comparing.drop();
    m_nameStatistics.reset();
    m_kinProblem.clear();
    if (m_cancelComparing) *m_cancelComparing = true;
    if (m_shown.valid()) readArguments();
    if (m_shown.valid()) computeNameStatistics();
    verticalScrollBar()->setValue(0);
  }
  render();
}

void DetailsPanel::readArguments() {
  m_argumentsNote = tr("Reading the file …");
  const RankEntry& entry = m_shownTrace->rank(m_shown.rank);
  const SourceRef source = entry.trace->events.source[m_shown.event];
  m_reading.ask([details = entry.details, source] { return details->fields(source); },
                [this](Result<std::vector<EventField>> fields) {
                  m_argumentsNote.clear();
                  if (fields) {
                    m_arguments = std::move(*fields);
                    std::erase_if(m_arguments, &EventField::inColumns); // those are shown as facts
                    if (m_arguments.empty())
                      m_argumentsNote = tr("The file has no further arguments for this event.");
                  } else {
                    m_argumentsNote = tr("Cannot read the file again: %1").arg(textOf(fields.error().text()));
                  }
                  const int scrolled = verticalScrollBar()->value();
                  render();
                  verticalScrollBar()->setValue(scrolled);
                });
}

void DetailsPanel::computeNameStatistics() {
  m_cancelComparing = std::make_shared<std::atomic<bool>>(false);
  m_comparing.ask([trace = m_shownTrace, shown = m_shown,
                   cancel = m_cancelComparing] { return nameStatistics(*trace, shown, *cancel); },
                  [this](NameStatistics statistics) {
                    m_nameStatistics = statistics;
                    const int scrolled = verticalScrollBar()->value();
                    render();
                    verticalScrollBar()->setValue(scrolled);
                  },
                  [this](const Error& error) {
                    m_kinProblem = textOf(error.text());
                    render();
                  });
}

QString DetailsPanel::nameStatisticsHtml() {
  const Theme& theme = m_session.theme();
  Html html(theme);
  html.beginSection(tr("All calls with this name"));
  if (!m_nameStatistics) {
    html.note(m_kinProblem.isEmpty() ? tr("Searching …") : m_kinProblem);
  } else if (m_nameStatistics->count <= 1) {
    html.note(tr("This is the only call with this name."));
  } else {
    const QUrl picture(QStringLiteral("histogram"));
    constexpr QSize kSize(190, 44);
    document()->addResource(QTextDocument::ImageResource, picture,
                            histogramPicture(*m_nameStatistics, theme, kSize, devicePixelRatioF()));
    html.row(tr("Calls"),
             tr("%1 · %2 on this rank")
                 .arg(textOf(countText(static_cast<std::int64_t>(m_nameStatistics->count))),
                      textOf(countText(static_cast<std::int64_t>(m_nameStatistics->countOnRank)))),
             true);
    html.row(tr("Percentile"),
             tr("longer than %1 of the calls").arg(textOf(percentText(m_nameStatistics->shorterPct))), true);
    html.row(tr("Median"), lastingText(m_nameStatistics->median), true);
    html.row(tr("Max"),
             QStringLiteral("<a href='%1' style='color:%2; text-decoration:none'>%3</a>")
                 .arg(urlOf(m_nameStatistics->longestEvent), theme.accent.name(),
                      lastingText(m_nameStatistics->longest)),
             true);
    html.row(tr("Total"), lastingText(m_nameStatistics->total), true);
    html.raw(QStringLiteral("<tr><td colspan='2' style='padding-top:5px'><img src='histogram' width='%1' "
                            "height='%2'></td></tr>")
                 .arg(kSize.width())
                 .arg(kSize.height()));
    html.note(QStringLiteral("%1 – %2").arg(lastingText(m_nameStatistics->shortest),
                                            lastingText(m_nameStatistics->longest)));
  }
  html.endSection();
  return html.text();
}

QString DetailsPanel::asText() const {
  if (!m_shown.valid()) return {};
  QStringList lines{m_facts.name};
  for (const EventFact& fact : m_facts.facts) lines << fact.key + QLatin1Char('\t') + fact.value;
  for (const EventLink& link : m_facts.links) lines << link.key + QLatin1Char('\t') + link.fullName;
  for (const EventField& field : m_arguments)
    lines << textOf(field.key) + QLatin1Char('\t') + valueText(field);
  return lines.join(QLatin1Char('\n'));
}

QString DetailsPanel::asJson() const {
  QJsonObject object{{"name", m_facts.name}};
  for (const EventField& field : m_arguments) object.insert(textOf(field.key), textOf(field.value));
  return QString::fromUtf8(QJsonDocument(object).toJson());
}

void DetailsPanel::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy) && !textCursor().hasSelection() && m_shown.valid())
    QGuiApplication::clipboard()->setText(asText());
  else
    QTextBrowser::keyPressEvent(event);
}

void DetailsPanel::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  if (m_shown.valid() && isNarrow() != m_narrow) render();
}

void DetailsPanel::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = createStandardContextMenu(event->pos());
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](const QString& title, const QString& text) {
    connect(menu->addAction(title), &QAction::triggered, this,
            [text] { QGuiApplication::clipboard()->setText(text); });
  };
  if (m_shown.valid()) {
    menu->addSeparator();
    const QTextCursor cursor = cursorForPosition(event->pos());
    if (const QTextTable* const table = cursor.currentTable(); table && table->columns() == 2) {
      const int row = table->cellAt(cursor).row();
      const auto cellText = [&](int column) {
        const QTextTableCell cell = table->cellAt(row, column);
        QTextCursor inside = cell.firstCursorPosition();
        inside.setPosition(cell.lastCursorPosition().position(), QTextCursor::KeepAnchor);
        return inside.selectedText();
      };
      if (row >= 0 && cellText(0) != cellText(1))
        add(tr("Copy the value of “%1”").arg(cellText(0)), cellText(1));
    }
    add(tr("Copy name"), m_facts.name);
    add(tr("Copy all"), asText());
    if (!m_arguments.empty()) add(tr("Copy arguments as JSON"), asJson());
  }
  menu->popup(event->globalPos());
}

void DetailsPanel::render() {
  const Theme& theme = m_session.theme();
  if (!m_shown.valid()) {
    setHtml(QStringLiteral("<p align='center' style='color:%1; margin-top:34px'>%2</p>")
                .arg(theme.muted.name(),
                     escaped(m_session.trace() ? tr("Nothing selected. Click a slice in the timeline to see "
                                                    "its times, its arguments "
                                                    "and what it is linked to.")
                                               : tr("No trace is open."))));
    return;
  }
  Html html(theme);
  html.raw(QStringLiteral("<div><span style='font-size:13px; font-weight:600'>%1</span>"
                          "<span style='color:%2'> &nbsp; %3</span></div>")
               .arg(escaped(m_facts.name), theme.muted.name(),
                    escaped(textOf(std::string(kindText(m_facts.kind))))));
  html.raw(QStringLiteral("<p style='margin:0; font-size:6px'>&nbsp;</p>"));
  m_narrow = isNarrow();
  const auto cell = [&](int percent, bool last, const QString& section) {
    html.raw(QStringLiteral("<td width='%1%'%2>%3</td>")
                 .arg(QString::number(percent),
                      last ? QString() : QStringLiteral(" style='padding-right:24px'"), section));
  };
  html.raw(QStringLiteral("<table width='100%' cellspacing='0' cellpadding='0'><tr>"));
  cell(m_narrow ? 50 : 27, false, factsHtml());
  cell(m_narrow ? 50 : 21, m_narrow, nameStatisticsHtml());
  if (m_narrow) html.raw(QStringLiteral("</tr><tr>"));
  cell(m_narrow ? 50 : 25, false, linksHtml());
  cell(m_narrow ? 50 : 27, true, argumentsHtml());
  html.raw(QStringLiteral("</tr></table>"));
  setHtml(withTextScale(html.text()));
  fitKeys(*document()->rootFrame());
}

QString DetailsPanel::factsHtml() const {
  Html html(m_session.theme());
  html.beginSection(tr("Time and location"));
  for (const EventFact& fact : m_facts.facts) html.row(fact.key, escaped(fact.value), true);
  html.endSection();
  return html.text();
}

QString DetailsPanel::argumentsHtml() const {
  Html html(m_session.theme());
  html.beginSection(tr("Arguments"));
  if (!m_argumentsNote.isEmpty()) html.note(m_argumentsNote);
  for (const EventField& field : m_arguments) html.row(textOf(field.key), escaped(valueText(field)), true);
  html.endSection();
  return html.text();
}

// Four columns of sections need space for their values.
bool DetailsPanel::isNarrow() const {
  return viewport()->width() < scaledToText(820);
}

// The links that the keys follow are first, so that a change of the choice is visible.
QString DetailsPanel::linksHtml() const {
  const Theme& theme = m_session.theme();
  Html html(theme);
  html.beginSection(tr("Links"));
  const QString collective = collectiveHtml();
  if (!collective.isEmpty()) html.row(tr("Across ranks"), collective, false);
  const auto add = [&](const EventLink& link) {
    html.row(
        link.key,
        QStringLiteral("<a href='%1' title='%6' style='color:%2; text-decoration:none'>%3</a><br><span "
                       "style='color:%4'>%5</span>")
            .arg(urlOf(link.target), theme.accent.name(), escaped(link.name), theme.muted.name(),
                 escaped(link.note),
                 QString(link.fullName).toHtmlEscaped().replace(QLatin1Char('\''), QStringLiteral("&#39;"))),
        false);
  };
  for (const bool forward : {false, true})
    if (const auto link = chosenLink(forward)) add(*link);
  if (collective.isEmpty() && m_facts.links.empty() && m_session.links().links().empty())
    html.note(tr("None recorded."));
  for (const EventLink& link : m_facts.links) add(link);
  if (m_facts.linksLeftOut > 0) html.note(tr("and %1 more launched").arg(m_facts.linksLeftOut));
  html.endSection();
  return html.text();
}

// Empty if the event is of no collective, or while it is not known.
QString DetailsPanel::collectiveHtml() const {
  const auto highlights = m_session.highlights();
  const CollectiveInstance* const instance = highlights ? highlights->instanceOf(m_shown) : nullptr;
  if (instance == nullptr) return {};
  return QStringLiteral("<a href='%1:' style='color:%2; text-decoration:none'>%3</a>")
      .arg(kRanksScheme, m_session.theme().accent.name(), escaped(arrivalSummary(*highlights, *instance)));
}

std::optional<EventLink> DetailsPanel::chosenLink(bool forward) const {
  const LinkChoice& links = m_session.links();
  const auto chosen = links.chosen(forward);
  if (!chosen || m_session.selection() != m_shown || m_session.trace() != m_shownTrace) return std::nullopt;
  QString note = linkTitle(chosen->kind);
  if (links.count(forward) > 1)
    note += QStringLiteral(" · ") + tr("link %1 of %2, %3 to choose another")
                                        .arg(links.place(forward) + 1)
                                        .arg(links.count(forward))
                                        .arg(forward ? QStringLiteral("Ctrl+]") : QStringLiteral("Ctrl+["));
  return eventLink(*m_shownTrace, links.target(forward), forward ? tr("Key ] goes to") : tr("Key [ goes to"),
                   note);
}

void DetailsPanel::followLink(const QUrl& url) {
  if (url.scheme() == kRanksScheme) return emit ranksWanted();
  const QStringList parts = url.path().split(QLatin1Char('/'));
  if (url.scheme() != kEventScheme || parts.size() != 2) return;
  m_session.reveal({RankIndex(parts[0].toUInt()), EventIndex(parts[1].toUInt())});
}

} // namespace rankscope::ui
