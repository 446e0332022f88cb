// SPDX-License-Identifier: GPL-3.0-or-later
// Number format of a GEMM or convolution kernel, and whether it uses matrix units (tensor cores, AMD's matrix
// cores). By name only, because recordings contain neither. Knows names of cuBLAS, cuDNN, CUTLASS, Tensile,
// composable kernel, FlashAttention and MoE kernels; otherwise Unknown. usesTensorCores follows it. Pure;
// some microseconds per name, so call it per name, not per event.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class NumberFormat : std::uint8_t {
  Unknown,
  Float64,
  Float32,
  Tf32, // 32-bit floats that matrix units reduce to 19 bits
  Float16,
  BFloat16,
  Float8,
  Float4,
  Int8,
};
[[nodiscard]] constexpr bool isValid(NumberFormat value) {
  return value <= NumberFormat::Int8;
}

// "fp32", "tf32", "bf16", ...; empty for Unknown.
[[nodiscard]] std::string_view numberFormatText(NumberFormat format);
[[nodiscard]] bool is16Bit(NumberFormat format);

enum class MatrixUnits : std::uint8_t { Unknown, Unused, Used };

struct KernelDtype {
  NumberFormat format = NumberFormat::Unknown; // of the inputs
  MatrixUnits units = MatrixUnits::Unknown;
  bool product = false;        // a GEMM or a convolution
  bool vector = false;         // matrix times vector (GEMV): memory bound with any units
  bool fusedAttention = false; // FlashAttention and similar

  bool operator==(const KernelDtype&) const = default;
};

[[nodiscard]] KernelDtype kernelDtype(std::string_view kernelName);

// Number format of a PyTorch "Input type": "float", "c10::BFloat16".
[[nodiscard]] NumberFormat numberFormatOfType(std::string_view type);
// Bytes of an element; 0 if the type is unknown.
[[nodiscard]] int bytesOfType(std::string_view type);

} // namespace rankscope
