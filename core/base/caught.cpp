// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/caught.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace rankscope {

namespace {

Error noMemory(std::string_view toDo) noexcept {
  try {
    std::string message = "not enough memory";
    if (!toDo.empty()) message.append(" ").append(toDo);
    return {ErrorKind::OutOfMemory, std::move(message), {}, {}};
  } catch (...) { // not even memory for this message: use a text that fits into the string object
    return {ErrorKind::OutOfMemory, "out of memory", {}, {}};
  }
}

Error fault(const char* what, std::string_view toDo) noexcept {
  try {
    std::string message = "an unexpected fault";
    if (!toDo.empty()) message.append(", so it was not possible ").append(toDo);
    return {ErrorKind::Fault, message.append(": ").append(what), {}, {}};
  } catch (...) {
    return noMemory(toDo);
  }
}

} // namespace

Error caughtError(std::string_view toDo) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return noMemory(toDo);
  } catch (const std::length_error&) { // a container size beyond the maximum
    return noMemory(toDo);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::not_enough_memory) return noMemory(toDo);
    return fault(error.what(), toDo);
  } catch (const std::exception& error) {
    return fault(error.what(), toDo);
  } catch (...) {
    return fault("of no known kind", toDo);
  }
}

} // namespace rankscope
