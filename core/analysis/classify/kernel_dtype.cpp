// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/kernel_dtype.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>

namespace rankscope {

namespace {

using enum NumberFormat;

struct Name {
  std::string_view text;

  [[nodiscard]] bool has(std::string_view part) const { return text.find(part) != std::string_view::npos; }
  [[nodiscard]] bool hasAny(std::initializer_list<std::string_view> parts) const {
    return std::ranges::any_of(parts, [&](std::string_view part) { return has(part); });
  }
};

bool isFusedAttention(const Name& name) {
  return name.hasAny(
      {"flash_fwd",       "flash_bwd",        "compute_attn_ws", "fmha_cutlass", "fort_native_sdpa",
       "fmhaSm",          "bwd_kernel_dk_dv", "bwd_kernel_dq",   "attn_fwd",     "unified_attention",
       "paged_attention", "BatchPrefill",     "BatchDecode",     "flash_mla",    "_fwd_mla",
       "mha_fwd",         "mha_bwd",          "FmhaFwd",         "FmhaBwd",      "fmha_fwd",
       "fmha_bwd",        "AttentionKernel",  "flash_attn"});
}

// A GEMV, or a kernel that only adds up partial results.
bool isVectorProduct(const Name& name) {
  return name.hasAny({"gemv", "gemmk1", "gemmSN", "splitKreduce", "dot_kernel", "gemvx", "gemmMN"});
}

// Name parts of NVIDIA's tensor core kernels, unless the name also indicates otherwise.
bool hasTensorCoreWord(const Name& name) {
  return name.hasAny({"s884", "h884", "s1688", "h1688", "16816", "hmma", "imma", "i8816", "tensorop", "wmma",
                      "gmma", "nvjet", "umma", "tcgen05", "sm90_xmma", "sm100_xmma", "tensor16x8x"});
}

bool hasOrdinaryCoreWord(const Name& name) {
  if (name.hasAny({"simt", "_ffma_", "dgemm", "scudnn", "convolve_sgemm", "dgrad_engine", "wgrad_alg0",
                   "dgrad2d_alg1", "fft2d_", "explicit_convolve"}))
    return true;
  if (name.has("winograd") && !hasTensorCoreWord(name)) return true;
  return name.has("sgemm") && !name.hasAny({"16816", "884", "1688", "tf32"});
}

// The first pair of types in names of xmma kernels (cuBLAS, cuDNN): types of A and B.
NumberFormat pairedFormat(const Name& name) {
  if (name.hasAny({"f32f32_tf32f32", "tf32f32_tf32f32"})) return Tf32;
  static constexpr std::array<std::pair<std::string_view, NumberFormat>, 9> kPairs{{{"bf16bf16", BFloat16},
                                                                                    {"f32f32_", Float32},
                                                                                    {"f16f16", Float16},
                                                                                    {"e4m3e4m3", Float8},
                                                                                    {"e4m3e5m2", Float8},
                                                                                    {"e5m2e4m3", Float8},
                                                                                    {"i8i8", Int8},
                                                                                    {"f64f64", Float64},
                                                                                    {"tf32", Tf32}}};
  const auto found = std::ranges::find_if(kPairs, [&](const auto& pair) { return name.has(pair.first); });
  return found == kPairs.end() ? Unknown : found->second;
}

NumberFormat formatOfWords(const Name& name) {
  const NumberFormat paired = pairedFormat(name);
  if (paired != Unknown) return paired;
  if (name.hasAny({"bf16", "bfloat16", "BFloat16", "nv_bfloat"})) return BFloat16;
  if (name.hasAny({"mxfp4", "e2m1", "fp4"})) return Float4;
  if (name.hasAny({"fp8", "e4m3", "e5m2", "float8"})) return Float8;
  if (name.hasAny({"hgemm", "h884", "h1688", "hmma", "_fp16", "fp16_", "half", "Half", "f16_s16816",
                   "f16_s1688", "f16_s884", "s884", "hscudnn", "h16816"}))
    return Float16;
  if (name.hasAny({"i8816", "imma", "int8", "igemm_int8", "s8_"})) return Int8;
  if (name.hasAny({"dgemm", "double"})) return Float64;
  if (name.has("s1688")) return Tf32; // kernels for 16-bit floats contain their type: "bf16_s1688gemm"
  if (name.hasAny({"sgemm", "scudnn", "float", "_f32", "fp32"})) return Float32;
  return Unknown;
}

// "nvjet_tst_": letters for the types of A, accumulator and result.
NumberFormat nvjetFormat(const Name& name) {
  const std::size_t at = name.text.find("nvjet_") + 6;
  if (name.text.compare(at, 3, "sm1") == 0) { // "nvjet_sm100_tst_"
    const std::size_t next = name.text.find('_', at);
    return next == std::string_view::npos ? Unknown : nvjetFormat({name.text.substr(next - 5)});
  }
  switch (at < name.text.size() ? name.text[at] : ' ') {
  case 'h':
    return Float16;
  case 't':
    return BFloat16;
  case 's':
    return Tf32;
  case 'q':
  case 'o':
    return Float8;
  default:
    return Unknown;
  }
}

// "Cijk_Ailk_Bljk_BBS_BH_": the field after the operands begins with the types of A and B. Newer names have
// one letter if they are equal.
KernelDtype tensileDtype(const Name& name) {
  KernelDtype dtype{Unknown, name.has("_MI") ? MatrixUnits::Used : MatrixUnits::Unused, true, false, false};
  std::size_t at = 0;
  for (int field = 0; field < 3 && at != std::string_view::npos; ++field) {
    at = name.text.find('_', at);
    if (at != std::string_view::npos) ++at;
  }
  if (at == std::string_view::npos) return dtype;
  const std::string_view types = name.text.substr(at);
  if (types.starts_with("F8") || types.starts_with("B8"))
    dtype.format = Float8;
  else if (types.starts_with("I8"))
    dtype.format = Int8;
  else if (types.starts_with('B'))
    dtype.format = BFloat16;
  else if (types.starts_with('H'))
    dtype.format = Float16;
  else if (types.starts_with('D'))
    dtype.format = Float64;
  else if (types.starts_with("S_") || types.starts_with("SB") || types.starts_with("SS"))
    dtype.format = Float32;
  return dtype;
}

bool isAmdMatrixName(const Name& name) {
  return name.hasAny({"xdlops", "mfma", "gtcx", "xdl_"});
}

bool isProduct(const Name& name) {
  return name.hasAny({"gemm",    "Gemm",     "GEMM",  "convolve", "_scudnn", "dgrad",     "wgrad",
                      "fprop",   "winograd", "nvjet", "xmma",     "matmul",  "conv2d",    "igemm",
                      "cutlass", "Conv",     "bmm_",  "fft2d",    "conv1x1", "triton_tem"}) &&
         !name.hasAny({"elementwise", "layernorm", "layer_norm", "direct_copy", "moe_sum", "convertTensor"});
}

} // namespace

std::string_view numberFormatText(NumberFormat format) {
  static constexpr std::array<std::string_view, 9> kTexts{"",     "fp64", "fp32", "tf32", "fp16",
                                                          "bf16", "fp8",  "fp4",  "int8"};
  return kTexts[static_cast<std::size_t>(format)];
}

bool is16Bit(NumberFormat format) {
  return format == Float16 || format == BFloat16;
}

KernelDtype kernelDtype(std::string_view kernelName) {
  const Name name{kernelName};
  if (isFusedAttention(name)) {
    // vLLM's paged attention and FlashInfer's decode also exist for ordinary cores.
    const bool either = name.hasAny({"paged_attention", "BatchDecode"}) && !name.has("mfma");
    return {formatOfWords(name), either ? MatrixUnits::Unknown : MatrixUnits::Used, true, false, true};
  }
  if (kernelName.starts_with("Cijk_")) return tensileDtype(name);
  if (isVectorProduct(name)) return {formatOfWords(name), MatrixUnits::Unused, true, true, false};
  if (!isProduct(name)) return {};
  if (name.has("nvjet_")) return {nvjetFormat(name), MatrixUnits::Used, true, false, false};
  const NumberFormat format = formatOfWords(name);
  if (hasOrdinaryCoreWord(name)) {
    // "ffma" multiplies 32-bit floats, independent of the input type.
    return {format == Unknown || format == Tf32 ? Float32 : format, MatrixUnits::Unused, true, false, false};
  }
  if (hasTensorCoreWord(name) || isAmdMatrixName(name) || format == Tf32)
    return {format, MatrixUnits::Used, true, false, false};
  return {format, MatrixUnits::Unknown, true, false, false};
}

NumberFormat numberFormatOfType(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, NumberFormat>, 10> kTypes{
      {{"float", Float32},
       {"double", Float64},
       {"c10::Half", Float16},
       {"c10::BFloat16", BFloat16},
       {"c10::Float8_e4m3fn", Float8},
       {"c10::Float8_e4m3fnuz", Float8},
       {"c10::Float8_e5m2", Float8},
       {"c10::Float8_e5m2fnuz", Float8},
       {"signed char", Int8},
       {"unsigned char", Int8}}};
  const auto* const found =
      std::ranges::find(kTypes, type, &std::pair<std::string_view, NumberFormat>::first);
  return found == kTypes.end() ? Unknown : found->second;
}

int bytesOfType(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, int>, 9> kOthers{{{"long int", 8},
                                                                            {"long", 8},
                                                                            {"int", 4},
                                                                            {"short", 2},
                                                                            {"short int", 2},
                                                                            {"bool", 1},
                                                                            {"char", 1},
                                                                            {"c10::complex<float>", 8},
                                                                            {"c10::complex<double>", 16}}};
  switch (numberFormatOfType(type)) {
  case Float64:
    return 8;
  case Float32:
  case Tf32:
    return 4;
  case Float16:
  case BFloat16:
    return 2;
  case Float8:
  case Int8:
    return 1;
  default:
    break;
  }
  const auto* const found = std::ranges::find(kOthers, type, &std::pair<std::string_view, int>::first);
  return found == kOthers.end() ? 0 : found->second;
}

} // namespace rankscope
