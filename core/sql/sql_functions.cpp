// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/sql_functions.h"

#include "core/analysis/classify/short_name.h"
#include "core/base/statistics.h"
#include "core/base/text_pattern.h"
#include "core/index/interval_set.h"
#include "core/sql/virtual_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <vector>

namespace rankscope {

namespace {

constexpr std::array<SqlFunction, 12> kFunctions{
    {{"union_ns", "union_ns(begin_ns, end_ns)", "Length of the union of ranges: overlaps count once."},
     {"busy_ns", "busy_ns(begin_ns, end_ns)", "The same as union_ns."},
     {"overlaps", "overlaps(a_begin, a_end, b_begin, b_end)", "Time that two ranges have in common."},
     {"median", "median(x)", "Middle value, or the mean of the two middle ones."},
     {"percentile", "percentile(x, p)", "Smallest value that p percent of the values do not exceed."},
     {"stddev", "stddev(x)", "Standard deviation of a sample."},
     {"variance", "variance(x)", "Square of stddev."},
     {"regexp", "x REGEXP pattern", "Whether a regular expression matches anywhere, ignoring case."},
     {"short_name", "short_name(name)", "Name without namespaces, template arguments and arguments."},
     {"ms", "ms(ns)", "Nanoseconds as milliseconds."},
     {"us", "us(ns)", "Nanoseconds as microseconds."},
     {"gb_s", "gb_s(bytes, ns)", "10^9 bytes per second."}}};

// Of SQLite's functions, those that compute from their arguments. Everything else is refused.
constexpr std::array kSqliteFunctions{"abs",
                                      "acos",
                                      "acosh",
                                      "asin",
                                      "asinh",
                                      "atan",
                                      "atan2",
                                      "atanh",
                                      "avg",
                                      "ceil",
                                      "ceiling",
                                      "changes",
                                      "char",
                                      "coalesce",
                                      "cos",
                                      "cosh",
                                      "count",
                                      "cume_dist",
                                      "date",
                                      "datetime",
                                      "degrees",
                                      "dense_rank",
                                      "exp",
                                      "first_value",
                                      "floor",
                                      "format",
                                      "glob",
                                      "group_concat",
                                      "hex",
                                      "ifnull",
                                      "iif",
                                      "instr",
                                      "json",
                                      "json_array",
                                      "json_extract",
                                      "json_group_array",
                                      "json_group_object",
                                      "json_object",
                                      "json_type",
                                      "json_valid",
                                      "json_array_length",
                                      "->",
                                      "->>",
                                      "julianday",
                                      "lag",
                                      "last_value",
                                      "lead",
                                      "length",
                                      "like",
                                      "likelihood",
                                      "likely",
                                      "ln",
                                      "log",
                                      "log10",
                                      "log2",
                                      "lower",
                                      "ltrim",
                                      "max",
                                      "min",
                                      "mod",
                                      "nth_value",
                                      "ntile",
                                      "nullif",
                                      "percent_rank",
                                      "pi",
                                      "pow",
                                      "power",
                                      "printf",
                                      "quote",
                                      "radians",
                                      "rank",
                                      "replace",
                                      "round",
                                      "row_number",
                                      "rtrim",
                                      "sign",
                                      "sin",
                                      "sinh",
                                      "sqlite_version",
                                      "sqrt",
                                      "strftime",
                                      "substr",
                                      "substring",
                                      "sum",
                                      "tan",
                                      "tanh",
                                      "time",
                                      "total",
                                      "trim",
                                      "trunc",
                                      "typeof",
                                      "unicode",
                                      "unixepoch",
                                      "unlikely",
                                      "upper"};

// State of an aggregate, made by its first row. SQLite keeps a pointer; null: no memory.
template <class State> State* stateOf(sqlite3_context* context, bool make) {
  auto** const place = static_cast<State**>(sqlite3_aggregate_context(context, make ? sizeof(State*) : 0));
  if (place == nullptr) return nullptr;
  if (*place == nullptr && make) *place = new State;
  return *place;
}

template <class Act> void guarded(sqlite3_context* context, Act&& act) noexcept {
  try {
    act();
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

bool anyNull(std::span<sqlite3_value* const> values) {
  return std::ranges::any_of(values, [](sqlite3_value* v) { return sqlite3_value_type(v) == SQLITE_NULL; });
}

std::span<sqlite3_value* const> argumentsOf(int count, sqlite3_value** values) {
  return {values, static_cast<std::size_t>(count)};
}

// Values collected for a result over all of them. SQLite's limit of memory does not know of them.
constexpr std::size_t kMaxCollected = 64'000'000;

struct Ranges {
  std::vector<TimeRange> ranges;
};

void addRange(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    const auto arguments = argumentsOf(count, values);
    if (anyNull(arguments)) return;
    Ranges* const state = stateOf<Ranges>(context, true);
    if (state == nullptr) return sqlite3_result_error_nomem(context);
    if (state->ranges.size() >= kMaxCollected) throw SqlTableError("union_ns: too many ranges");
    const TimeRange range{sqlite3_value_int64(arguments[0]), sqlite3_value_int64(arguments[1])};
    if (range.begin >= range.end) return;
    // Ranges mostly come by begin, and many touch: the list stays short.
    if (!state->ranges.empty() && range.begin >= state->ranges.back().begin &&
        range.begin <= state->ranges.back().end) {
      state->ranges.back().end = std::max(state->ranges.back().end, range.end);
      return;
    }
    state->ranges.push_back(range);
  });
}

void finishRanges(sqlite3_context* context) {
  guarded(context, [&] {
    const std::unique_ptr<Ranges> state(stateOf<Ranges>(context, false));
    sqlite3_result_int64(context, state == nullptr ? 0 : IntervalSet(std::move(state->ranges)).totalLength());
  });
}

struct Numbers {
  std::vector<double> values;
  double percent = 50;
};

void addNumber(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    const auto arguments = argumentsOf(count, values);
    if (anyNull(arguments)) return;
    Numbers* const state = stateOf<Numbers>(context, true);
    if (state == nullptr) return sqlite3_result_error_nomem(context);
    if (state->values.size() >= kMaxCollected) throw SqlTableError("too many values for a median");
    if (count > 1) {
      state->percent = sqlite3_value_double(arguments[1]);
      if (!(state->percent >= 0 && state->percent <= 100))
        throw SqlTableError("percentile: the second argument is not within 0 and 100");
    }
    const double value = sqlite3_value_double(arguments[0]);
    if (!std::isnan(value)) state->values.push_back(value);
  });
}

// Integers stay integers where a value is one of those given.
void giveNumber(sqlite3_context* context, double value) {
  if (std::abs(value) < 9e15 && value == std::floor(value))
    sqlite3_result_int64(context, static_cast<std::int64_t>(value));
  else
    sqlite3_result_double(context, value);
}

void finishMedian(sqlite3_context* context) {
  guarded(context, [&] {
    const std::unique_ptr<Numbers> state(stateOf<Numbers>(context, false));
    if (state != nullptr && !state->values.empty()) giveNumber(context, median(std::move(state->values)));
  });
}

void finishPercentile(sqlite3_context* context) {
  guarded(context, [&] {
    const std::unique_ptr<Numbers> state(stateOf<Numbers>(context, false));
    if (state == nullptr || state->values.empty()) return;
    // Nearest rank, also for fractions of a percent.
    const auto count = static_cast<double>(state->values.size());
    const double place = std::max(0.0, std::ceil(count * state->percent / 100) - 1);
    const auto at = state->values.begin() + static_cast<std::ptrdiff_t>(std::min(place, count - 1));
    std::nth_element(state->values.begin(), at, state->values.end());
    giveNumber(context, *at);
  });
}

struct Moments {
  double mean = 0;
  double squares = 0;
  std::int64_t count = 0;
};

void addMoment(sqlite3_context* context, int, sqlite3_value** values) {
  guarded(context, [&] {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    Moments* const state = stateOf<Moments>(context, true);
    if (state == nullptr) return sqlite3_result_error_nomem(context);
    const double value = sqlite3_value_double(values[0]);
    ++state->count;
    const double distance = value - state->mean;
    state->mean += distance / static_cast<double>(state->count);
    state->squares += distance * (value - state->mean);
  });
}

template <bool Root> void finishMoments(sqlite3_context* context) {
  guarded(context, [&] {
    const std::unique_ptr<Moments> state(stateOf<Moments>(context, false));
    if (state == nullptr || state->count < 2) return;
    const double variance = state->squares / static_cast<double>(state->count - 1);
    sqlite3_result_double(context, Root ? std::sqrt(variance) : variance);
  });
}

void overlapsOf(sqlite3_context* context, int count, sqlite3_value** values) {
  guarded(context, [&] {
    const auto arguments = argumentsOf(count, values);
    if (anyNull(arguments)) return sqlite3_result_null(context);
    const std::int64_t begin = std::max(sqlite3_value_int64(arguments[0]), sqlite3_value_int64(arguments[2]));
    const std::int64_t end = std::min(sqlite3_value_int64(arguments[1]), sqlite3_value_int64(arguments[3]));
    sqlite3_result_int64(context,
                         end <= begin ? 0 : stoppingSum(end, begin == INT64_MIN ? INT64_MAX : -begin));
  });
}

void freePattern(void* pattern) {
  delete static_cast<TextPattern*>(pattern);
}

void regexpOf(sqlite3_context* context, int, sqlite3_value** values) {
  guarded(context, [&] {
    if (anyNull(argumentsOf(2, values))) return sqlite3_result_null(context);
    const auto* pattern = static_cast<const TextPattern*>(sqlite3_get_auxdata(context, 0));
    std::unique_ptr<TextPattern> own;
    if (pattern == nullptr) {
      auto parsed = TextPattern::parse(textValue(values[0]));
      if (!parsed) throw SqlTableError("regexp: " + parsed.error().text());
      own = std::make_unique<TextPattern>(std::move(*parsed));
      pattern = own.get();
    }
    sqlite3_result_int(context, pattern->foundIn(textValue(values[1])) ? 1 : 0);
    if (own != nullptr) sqlite3_set_auxdata(context, 0, own.release(), &freePattern);
  });
}

void shortNameOf(sqlite3_context* context, int, sqlite3_value** values) {
  guarded(context, [&] {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
    const std::string text = shortName(textValue(values[0]));
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  });
}

template <int Factor> void divided(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  sqlite3_result_double(context, sqlite3_value_double(values[0]) / Factor);
}

void gigabytesPerSecond(sqlite3_context* context, int, sqlite3_value** values) {
  if (anyNull(argumentsOf(2, values)) || sqlite3_value_double(values[1]) <= 0)
    return sqlite3_result_null(context);
  sqlite3_result_double(context, sqlite3_value_double(values[0]) / sqlite3_value_double(values[1]));
}

using Scalar = void (*)(sqlite3_context*, int, sqlite3_value**);
using Finish = void (*)(sqlite3_context*);

} // namespace

std::span<const SqlFunction> sqlFunctions() {
  return kFunctions;
}

bool isSafeFunction(std::string_view name) {
  static const std::set<std::string, std::less<>> kSafe = [] {
    std::set<std::string, std::less<>> names(kSqliteFunctions.begin(), kSqliteFunctions.end());
    for (const SqlFunction& function : kFunctions) names.emplace(function.name);
    return names;
  }();
  return kSafe.contains(folded(name));
}

int addSqlFunctions(sqlite3* connection) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  int code = SQLITE_OK;
  const auto scalar = [&](const char* name, int arguments, Scalar function) {
    if (code == SQLITE_OK)
      code = sqlite3_create_function_v2(connection, name, arguments, kFlags, nullptr, function, nullptr,
                                        nullptr, nullptr);
  };
  const auto aggregate = [&](const char* name, int arguments, Scalar step, Finish finish) {
    if (code == SQLITE_OK)
      code = sqlite3_create_function_v2(connection, name, arguments, kFlags, nullptr, nullptr, step, finish,
                                        nullptr);
  };
  aggregate("union_ns", 2, addRange, finishRanges);
  aggregate("busy_ns", 2, addRange, finishRanges);
  aggregate("median", 1, addNumber, finishMedian);
  aggregate("percentile", 2, addNumber, finishPercentile);
  aggregate("stddev", 1, addMoment, finishMoments<true>);
  aggregate("variance", 1, addMoment, finishMoments<false>);
  scalar("overlaps", 4, overlapsOf);
  scalar("regexp", 2, regexpOf);
  scalar("short_name", 1, shortNameOf);
  scalar("ms", 1, divided<1'000'000>);
  scalar("us", 1, divided<1'000>);
  scalar("gb_s", 2, gigabytesPerSecond);
  return code;
}

} // namespace rankscope
