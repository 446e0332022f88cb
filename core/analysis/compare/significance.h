// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two samples differ by more than chance: the tests that Compare shows, with their intervals. All of
// them compare B with A: positive means that B is larger. Pure functions; values must be finite. O(n log n),
// but O(n m) for what looks at all pairs, and O(n n m) for exact ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct SampleSummary {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  std::optional<double> stddev;          // of the sample, n - 1; needs two values
  std::optional<double> autocorrelation; // lag 1; needs three values that are not all equal
  // How many independent values as much drift leaves: n (1 - r) / (1 + r) for r > 0.
  [[nodiscard]] double effectiveCount() const;
};

// In the order in which they were measured.
[[nodiscard]] SampleSummary summaryOf(std::span<const double> values);

// Welch's t-test, and the interval of the difference of means that holds 95 % of the time.
struct WelchTest {
  double difference = 0; // mean of B less mean of A
  double t = 0;          // infinite without spread, unless the means are equal
  double degrees = 0;
  double p = 1;
  double low = 0;
  double high = 0;
  bool noSpread = false; // both samples are constant
};

// Needs two values a side.
[[nodiscard]] std::optional<WelchTest> welchTest(std::span<const double> a, std::span<const double> b);

// The same of differences between pairs, B less A.
[[nodiscard]] std::optional<WelchTest> pairedTest(std::span<const double> differences);

// Mann-Whitney's U-test: exact for up to 40 values without ties, else by the normal approximation with its
// correction for ties and continuity.
struct RankTest {
  double u = 0; // pairs in which B is larger, ties as halves
  double p = 1;
  bool exact = false;
  double probability = 0.5; // that a value of B is larger than one of A: U / (n m)
};

[[nodiscard]] std::optional<RankTest> rankTest(std::span<const double> a, std::span<const double> b);

// Hodges and Lehmann's shift: the median of all differences, and its interval by ranks (95 %).
struct RankShift {
  double estimate = 0;
  std::optional<double> low; // nothing: no finite interval with so few values
  std::optional<double> high;
};

[[nodiscard]] std::optional<RankShift> rankShift(std::span<const double> a, std::span<const double> b);

// Hedges' g: the difference of means in standard deviations, corrected for small samples. Needs two values a
// side and some spread.
[[nodiscard]] std::optional<double> hedgesG(std::span<const double> a, std::span<const double> b);

// Benjamini and Hochberg: for each p the least share of false discoveries at which it is one. Same order.
[[nodiscard]] std::vector<double> falseDiscoveryRates(std::span<const double> p);

// P(T > |t|) twice, of Student's distribution.
[[nodiscard]] double studentP(double t, double degrees);
// The t that holds 95 % between -t and t.
[[nodiscard]] double studentLimit95(double degrees);

} // namespace rankscope
