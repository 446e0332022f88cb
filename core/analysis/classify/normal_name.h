// SPDX-License-Identifier: GPL-3.0-or-later
// Names without what differs between two runs of one program: addresses, line numbers, hashes and running
// numbers of operators; return types and parameter lists of kernels. Two recordings are compared by them.
// Pure; linear in the name, so normalize names and not events.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// Of an operator, an annotation or a Python frame: "ProfilerStep#12" is "ProfilerStep", "f.py(12): g" is
// "f.py: g", "0x7f3a" is "0x", "triton_poi_fused_add_3" and "graph_4" lose their number, a compiled graph its
// hash. Autograd's "MulBackward0" stays.
[[nodiscard]] std::string normalOperatorName(std::string_view name);

// Of a kernel: without "void " before it and its parameter list, with its template arguments.
[[nodiscard]] std::string normalKernelName(std::string_view name);
// Of a normal kernel name, without its template arguments.
[[nodiscard]] std::string withoutTemplateArguments(std::string_view name);
// What kind of work a kernel does, "gemm", "elementwise", "AllReduce": the same on different hardware.
[[nodiscard]] std::string kernelFamily(std::string_view name);

} // namespace rankscope
