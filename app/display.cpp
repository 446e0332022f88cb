// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/display.h"

#include <cstdlib>
#include <string_view>

#if defined(__linux__)
#include <dlfcn.h>
#include <filesystem>
#include <system_error>
#endif

namespace rankscope {

#if defined(__linux__)
namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// Tries to connect with the library that Qt uses; true if it cannot be loaded, as Qt then reports errors.
bool reachesX() {
  void* const library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return true;
  using Connect = void* (*)(const char*, int*);
  using HasError = int (*)(void*);
  using Disconnect = void (*)(void*);
  const auto connect = reinterpret_cast<Connect>(dlsym(library, "xcb_connect"));
  const auto hasError = reinterpret_cast<HasError>(dlsym(library, "xcb_connection_has_error"));
  const auto disconnect = reinterpret_cast<Disconnect>(dlsym(library, "xcb_disconnect"));
  bool reached = true;
  if (connect != nullptr && hasError != nullptr && disconnect != nullptr) {
    // It stays connected: a server such as Xvfb starts anew when its only client leaves, and may refuse Qt
    // meanwhile.
    static void* connection = nullptr;
    connection = connect(nullptr, nullptr);
    reached = hasError(connection) == 0;
    if (reached) return true;
    disconnect(connection);
  }
  dlclose(library);
  return reached;
}

// Whether the compositor's socket exists. Does not connect, because the compositor would notice.
bool hasWayland(std::string_view display) {
  std::filesystem::path path(display);
  if (path.is_relative()) path = std::filesystem::path(environment("XDG_RUNTIME_DIR")) / path;
  std::error_code failed;
  return std::filesystem::is_socket(path, failed);
}

} // namespace

std::string displayProblem() {
  const std::string_view platform = environment("QT_QPA_PLATFORM");
  const std::string_view x = environment("DISPLAY");
  const std::string_view wayland = environment("WAYLAND_DISPLAY");
  const bool asX = platform.starts_with("xcb");
  const bool asWayland = platform.starts_with("wayland");
  if (!platform.empty() && !asX && !asWayland) return {};
  if (!asWayland && !x.empty() && reachesX()) return {};
  if (!asX && !wayland.empty() && hasWayland(wayland)) return {};
  std::string tried;
  if (!asWayland && !x.empty()) tried = "DISPLAY " + std::string(x);
  if (!asX && !wayland.empty())
    tried += (tried.empty() ? "WAYLAND_DISPLAY " : " and WAYLAND_DISPLAY ") + std::string(wayland);
  return tried.empty() ? "there is no display" : "there is no display: " + tried + " cannot be reached";
}
#else
std::string displayProblem() {
  return {};
}
#endif

} // namespace rankscope
