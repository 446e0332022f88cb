// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/caught.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace rankscope {
namespace {

template <class Thrown> Error errorOf(const Thrown& thrown, std::string_view toDo = {}) {
  return *attempt([&] { throw thrown; }, toDo);
}

TEST(Caught, memoryThatRunsOutIsReportedSo) {
  const Error error = errorOf(std::bad_alloc(), "to read this file");
  EXPECT_EQ(error.kind, ErrorKind::OutOfMemory);
  EXPECT_EQ(error.text(), "not enough memory to read this file");
  EXPECT_EQ(errorOf(std::length_error("vector::reserve")).text(), "not enough memory");
  EXPECT_EQ(errorOf(std::system_error(std::make_error_code(std::errc::not_enough_memory))).kind,
            ErrorKind::OutOfMemory);
}

TEST(Caught, whatElseIsThrownIsAFaultWithItsWords) {
  const Error error = errorOf(std::out_of_range("map::at"), "to list hits");
  EXPECT_EQ(error.kind, ErrorKind::Fault);
  EXPECT_EQ(error.text(), "an unexpected fault, so it was not possible to list hits: map::at");
  EXPECT_EQ(errorOf(7).kind, ErrorKind::Fault);
}

TEST(Caught, anAttemptGivesWhatWorkGives) {
  EXPECT_EQ(*attempt([] { return 7; }), 7);
  EXPECT_FALSE(attempt([] {}));
  const Result<int> reported = attempt([]() -> Result<int> { return Error{ErrorKind::Io, "no", "f", {}}; });
  EXPECT_EQ(reported.error().text(), "f: no");
  const Result<int> thrown = attempt([]() -> Result<int> { throw std::bad_alloc(); });
  EXPECT_EQ(thrown.error().kind, ErrorKind::OutOfMemory);
}

} // namespace
} // namespace rankscope
