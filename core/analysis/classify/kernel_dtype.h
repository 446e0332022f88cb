// SPDX-License-Identifier: GPL-3.0-or-later
// Which number format a kernel that multiplies matrices works on, and whether it does so on matrix units
// (tensor cores, AMD's matrix cores): by its name alone, because recordings have neither. Names of cuBLAS,
// cuDNN, CUTLASS, Tensile, composable kernel, FlashAttention and of kernels for mixtures of experts. What is
// not known is said to be so. Differs from usesTensorCores, which counts what the TensorBoard plugin counts.
// Pure; some microseconds a name, so judge names and not events.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class NumberFormat : std::uint8_t {
  Unknown,
  Float64,
  Float32,
  Tf32, // 32-bit floats that matrix units cut to 19 bits
  Float16,
  BFloat16,
  Float8,
  Float4,
  Int8,
};

// "fp32", "tf32", "bf16", ...; empty of Unknown.
[[nodiscard]] std::string_view numberFormatText(NumberFormat format);
[[nodiscard]] bool is16Bit(NumberFormat format);

enum class MatrixUnits : std::uint8_t { Unknown, Unused, Used };

struct KernelDtype {
  NumberFormat format = NumberFormat::Unknown; // of what is multiplied
  MatrixUnits units = MatrixUnits::Unknown;
  bool product = false;        // a matrix product or a convolution
  bool vector = false;         // of a matrix and a vector: bound by memory whatever the units
  bool fusedAttention = false; // FlashAttention and its like

  bool operator==(const KernelDtype&) const = default;
};

[[nodiscard]] KernelDtype kernelDtype(std::string_view kernelName);

// The format that PyTorch writes as an "Input type": "float", "c10::BFloat16".
[[nodiscard]] NumberFormat numberFormatOfType(std::string_view type);
// Of an element; 0 when the type is not known.
[[nodiscard]] int bytesOfType(std::string_view type);

} // namespace rankscope
