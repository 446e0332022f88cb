// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/own_code.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 4> kFrameworks{"torch", "functorch", "triton", "numpy"};

bool isSlash(char c) {
  return c == '/' || c == '\\';
}

bool isFramework(std::string_view package) {
  return std::ranges::find(kFrameworks, package) != kFrameworks.end();
}

std::string_view firstPart(std::string_view path) {
  return path.substr(0, path.find_first_of("/\\"));
}

// The path below the folder of installed packages; empty if it is not in one.
std::string_view afterPackages(std::string_view path) {
  for (const std::string_view folder : {"site-packages", "dist-packages"}) {
    const std::size_t at = path.rfind(folder);
    if (at == std::string_view::npos || at + folder.size() >= path.size()) continue;
    if (isSlash(path[at + folder.size()])) return path.substr(at + folder.size() + 1);
  }
  return {};
}

// "…/lib/python3.10/threading.py", "python3.10/threading.py", "C:\Python310\Lib\threading.py".
bool isStandardLibrary(std::string_view path) {
  for (std::size_t at = path.find("python"); at != std::string_view::npos; at = path.find("python", at + 1)) {
    const bool begins = at == 0 || isSlash(path[at - 1]);
    std::size_t end = at + 6;
    while (end < path.size() &&
           (std::isdigit(static_cast<unsigned char>(path[end])) != 0 || path[end] == '.'))
      ++end;
    const bool lib = at == 0 || path.substr(0, at - (at > 0 ? 1 : 0)).ends_with("lib");
    if (begins && lib && end > at + 6 && end < path.size() && isSlash(path[end])) return true;
  }
  const std::size_t windows = path.find("\\Lib\\");
  return windows != std::string_view::npos && path.find("Python") < windows;
}

} // namespace

bool isOwnPath(std::string_view path) {
  if (!path.ends_with(".py") || path.starts_with('<')) return false;
  const std::string_view installed = afterPackages(path);
  if (!installed.empty()) return !isFramework(firstPart(installed));
  // The profiler removes the folder of installed packages: "torch/nn/modules/module.py".
  if (isFramework(firstPart(path)) && path.find_first_of("/\\") != std::string_view::npos) return false;
  // Files of the standard library are reduced to their name: "threading.py".
  static constexpr std::array<std::string_view, 12> kModules{
      "threading.py", "contextlib.py", "runpy.py",    "socket.py",  "queue.py",      "selectors.py",
      "inspect.py",   "functools.py",  "warnings.py", "copyreg.py", "subprocess.py", "tempfile.py"};
  if (std::ranges::find(kModules, path) != kModules.end()) return false;
  if (path.starts_with("multiprocessing/") || path.starts_with("concurrent/") ||
      path.starts_with("importlib/") || path.starts_with("asyncio/") || path.starts_with("logging/") ||
      path.starts_with("json/"))
    return false;
  return !isStandardLibrary(path);
}

bool isOwnCode(std::string_view frame) {
  const std::size_t line = frame.find(".py(");
  return line != std::string_view::npos && isOwnPath(frame.substr(0, line + 3));
}

} // namespace rankscope
