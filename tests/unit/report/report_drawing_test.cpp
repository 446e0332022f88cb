// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings and commands of the report. Covers core/report/svg_drawing, core/report/report_charts,
// core/report/timeline_drawing, core/report/open_commands, core/report/key_figures, core/report/html_text.
#include "core/io/load/job_loader.h"
#include "core/report/html_report.h"
#include "core/report/key_figures.h"
#include "core/report/report_charts.h"
#include "core/report/svg_drawing.h"
#include "core/report/timeline_drawing.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

// Three steps on each of two ranks; the second one waits for its input in each.
std::shared_ptr<const TraceSet> slowInputJob() {
  HandMadeJob job;
  for (int number = 0; number < 2; ++number) {
    HandMadeRank rank;
    for (int step = 0; step < 3; ++step) {
      const TimeNs begin = (1000 + 1000 * step) * kUs;
      rank.annotation(begin, 990 * kUs, "ProfilerStep#" + std::to_string(step + 4));
      const TimeNs input = number == 0 ? 20 * kUs : 500 * kUs;
      rank.annotation(begin + kUs, input, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
      rank.launched(begin + input + 5 * kUs, 7, begin + input + 10 * kUs, 300 * kUs, "gemm<float>");
      rank.launched(begin + input + 320 * kUs, 7, begin + input + 330 * kUs, 100 * kUs, "relu & co");
    }
    job.add(number, std::move(rank));
  }
  return job.build();
}

TEST(SvgDrawing, TextsAreCutToTheirRoom) {
  EXPECT_EQ(svgTextCut("short", 100), "short");
  EXPECT_EQ(svgTextCut("a name that is far too long", 72), "a name th…");
  EXPECT_EQ(svgTextCut("any", 10), "");
  EXPECT_EQ(svgTextCut("µµµµµµµµ", 36), "µµµµ…");
  SvgDrawing drawing(100, "<title>");
  drawing.box({1, 2.5, 3, 4}, "kernel", "a<b>");
  drawing.text(5, 6, "<x>", 50);
  EXPECT_EQ(
      drawing.markup(50),
      "<svg viewBox=\"0 0 100 50\" role=\"img\" aria-label=\"&lt;title&gt;\">\n"
      "<rect x=\"1\" y=\"2.5\" width=\"3\" height=\"4\" class=\"kernel\"><title>a&lt;b&gt;</title></rect>\n"
      "<text x=\"5\" y=\"6\" text-anchor=\"start\" class=\"text\">&lt;x&gt;</text>\n</svg>");
}

TEST(TimelineDrawing, ShowsWhatTheFindingIsAbout) {
  const JobReport report(std::make_shared<const Analysis>(slowInputJob()));
  ASSERT_FALSE(report.findings().empty());
  for (const Finding& finding : report.findings()) {
    const auto place = timelinePlace(report.analysis(), &finding);
    ASSERT_TRUE(place);
    if (finding.place.empty()) continue;
    EXPECT_LE(place->range.begin, finding.place.begin);
    EXPECT_GE(place->range.end, finding.place.end);
    EXPECT_LE(place->range.length(), report.analysis().extent().length());
    if (finding.rank.valid()) {
      EXPECT_EQ(place->main, finding.rank);
    }
    EXPECT_NE(std::ranges::find(place->ranks, place->main), place->ranks.end());
  }
  Finding finding;
  finding.rank = RankIndex(1);
  const JobTime begin = report.analysis().extent().begin;
  finding.place = {begin + 1000 * kUs, begin + 1500 * kUs};
  const auto shown = timelinePlace(report.analysis(), &finding);
  ASSERT_TRUE(shown);
  EXPECT_LT(shown->range.begin, finding.place.begin);
  EXPECT_GT(shown->range.end, finding.place.end);
  EXPECT_LT(shown->range.length(), 2 * finding.place.length());
  EXPECT_EQ(shown->main, finding.rank);
  EXPECT_EQ(shown->ranks.size(), 2U);
  const auto drawing = timelineDrawing(report, &finding);
  ASSERT_TRUE(drawing);
  for (const std::string_view part : {"rank 0", "rank 1", "stream 7", "class=\"place\"", "annotations"}) {
    EXPECT_NE(drawing->svg.find(part), std::string::npos) << part;
    EXPECT_NE(drawing->narrow.find(part), std::string::npos) << part;
  }
  // A page of that width shows texts in their size.
  EXPECT_EQ(drawing->narrow.find("<svg viewBox=\"0 0 640 "), 0U) << drawing->narrow.substr(0, 40);
  const auto step = timelinePlace(report.analysis(), nullptr);
  ASSERT_TRUE(step);
  EXPECT_TRUE(step->marked.empty());
  EXPECT_LT(step->range.length(), report.analysis().extent().length());
}

// PyTorch 1.9 names rows of streams "stream 7".
TEST(TimelineDrawing, NamesStreamsOnce) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 1;
  options.steps = 2;
  options.vocabulary = test::Vocabulary::Legacy;
  test::generateJob(options, folder.path().string());
  Progress progress;
  const auto job = loadJob({folder.path().string()}, {}, progress);
  ASSERT_TRUE(job.ok());
  const auto drawing = timelineDrawing(JobReport(std::make_shared<const Analysis>(*job)), nullptr);
  ASSERT_TRUE(drawing);
  EXPECT_NE(drawing->svg.find(">stream 7<"), std::string::npos);
  EXPECT_EQ(drawing->svg.find("stream stream"), std::string::npos);
}

TEST(ReportCharts, HaveARowForEachStepAndRank) {
  const JobReport report(std::make_shared<const Analysis>(slowInputJob()));
  const std::vector<ReportChart> charts = reportCharts(report);
  ASSERT_EQ(charts.size(), 3U);
  for (const std::string_view part : {"DataLoader", "Ideal compute", "100 %"})
    EXPECT_NE(charts[0].svg.find(part), std::string::npos) << part;
  for (const std::string_view part : {"step 4", "step 5", "step 6"})
    EXPECT_NE(charts[1].svg.find(part), std::string::npos) << part;
  for (const std::string_view part : {"rank 0", "rank 1"})
    EXPECT_NE(charts[2].svg.find(part), std::string::npos) << part;
  const std::string html = htmlReport(report, {}, {});
  for (const ReportChart& chart : charts) EXPECT_NE(html.find(chart.svg), std::string::npos) << chart.title;
}

TEST(OpenCommands, QuotePathsAndNameThePlaceWhereIdsDiffer) {
  EXPECT_EQ(shellWord("/data/me/run-1"), "/data/me/run-1");
  EXPECT_EQ(shellWord("/data/my run"), "'/data/my run'");
  EXPECT_EQ(shellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(shellWord(""), "''");
  const JobReport report(std::make_shared<const Analysis>(slowInputJob()));
  OpenCommands commands{{"/data/my run", "--capture", "2"}};
  EXPECT_EQ(commands.ofFinding(report, 0), "rankscope '/data/my run' --capture 2 --finding 1");
  EXPECT_EQ(commands.ofTab(report, "gains"), "rankscope '/data/my run' --capture 2 --view gains");
  EXPECT_EQ(commands.ofTable(report, "steps"), "rankscope-cli table steps '/data/my run' --capture 2");
  commands.tablePart = {"--steps", "4"};
  commands.windowPart = {"--range", "5ns..9ns"};
  EXPECT_EQ(commands.ofFinding(report, 0),
            "rankscope '/data/my run' --capture 2 --range 5ns..9ns --finding 1");
  EXPECT_EQ(commands.ofTab(report, "gains"),
            "rankscope '/data/my run' --capture 2 --range 5ns..9ns --view gains");
  EXPECT_EQ(commands.ofTable(report, "steps"),
            "rankscope-cli table steps '/data/my run' --capture 2 --steps 4");
  commands.windowPart = {};
  commands.whole = false;
  EXPECT_EQ(commands.ofFinding(report, 0), ""); // it has no place
  const JobTime begin = report.analysis().extent().begin;
  EXPECT_EQ(commands.ofRange(report, {begin + 5, begin + 25}),
            "rankscope '/data/my run' --capture 2 --view timeline --from 5ns --to 25ns");
  commands.origin = begin + 2;
  EXPECT_EQ(commands.ofRange(report, {begin + 5, begin + 25}),
            "rankscope '/data/my run' --capture 2 --view timeline --from 3ns --to 23ns");
}

TEST(OpenCommands, BreakBeforeTheirOptionsOnly) {
  const JobReport report(std::make_shared<const Analysis>(slowInputJob()));
  const std::string html = htmlReport(report, {}, {.commands = {{"/data/my run", "--capture", "2"}}});
  EXPECT_NE(html.find("<code><span>rankscope-cli table ranks &#39;/data/my run&#39;</span> "
                      "<span>--capture 2</span></code>"),
            std::string::npos);
  // Within one where it alone is longer than a line, as of a job of many files.
  EXPECT_NE(html.find("code span { display: inline-block; max-width: 100%; overflow-wrap: anywhere;"),
            std::string::npos);
}

// Inter has a multiplication sign for the x of 128x64, by a ligature that depends on what is beside it.
TEST(HtmlReport, DrawsNamesWithTheLettersTheyHave) {
  const JobReport report(std::make_shared<const Analysis>(slowInputJob()));
  const std::string html = htmlReport(report, {}, {});
  for (const std::string_view rule : {"\nbody {", "\ncode {", "\n.chart svg {"}) {
    const std::size_t at = html.find(rule);
    ASSERT_NE(at, std::string::npos) << rule;
    const std::string whole = html.substr(at, html.find('}', at) - at);
    EXPECT_NE(whole.find("font-variant-ligatures: no-contextual"), std::string::npos) << rule;
    // A shorthand of the font would undo it.
    EXPECT_LT(whole.find("font: "), whole.find("font-variant-ligatures")) << rule;
  }
}

TEST(KeyFigures, AreInTheReportWithTheirDefinitions) {
  const JobReport report(std::make_shared<const Analysis>(slowInputJob()));
  const std::string html = htmlReport(report, {}, {});
  const auto texts =
      keyFigureTexts(overviewFigures(report.analysis(), report.account()), report.analysis().trace());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_NE(html.find(htmlText(keyFigureTitle(static_cast<KeyFigure>(i)))), std::string::npos);
    EXPECT_NE(html.find(htmlText(keyFigureDefinition(static_cast<KeyFigure>(i)))), std::string::npos);
    if (texts[i].value.empty()) continue;
    EXPECT_NE(html.find("<b>" + htmlProse(texts[i].value) + "</b>"), std::string::npos);
  }
}

} // namespace
} // namespace rankscope
