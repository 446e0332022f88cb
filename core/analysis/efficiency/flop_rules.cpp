// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/flop_rules.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

constexpr FlopRule product(std::string_view name, FlopFormula formula, std::uint8_t first = 0) {
  return {name, FlopRole::Counted, formula, first};
}
constexpr FlopRule composite(std::string_view name, FlopFormula formula, std::uint8_t first = 0) {
  return {name, FlopRole::Composite, formula, first};
}
constexpr FlopRule convolution(std::string_view name, FlopRole role, ConvLists lists) {
  return {name, role, FlopFormula::Convolution, 0, lists};
}
constexpr FlopRule attention(std::string_view name, std::int8_t causal) {
  return {name, FlopRole::Counted, FlopFormula::Attention, 0, ConvLists::Aten, causal};
}
constexpr FlopRule attentionBackward(std::string_view name, std::int8_t causal) {
  return {name, FlopRole::Counted, FlopFormula::AttentionBackward, 1, ConvLists::Aten, causal};
}
// Heads behind the sequence, as the libraries want them.
constexpr FlopRule flash(std::string_view name, FlopFormula formula, std::int8_t causal,
                         bool maskType = false) {
  return {name,
          FlopRole::Counted,
          formula,
          formula == FlopFormula::Attention ? std::uint8_t{0} : std::uint8_t{1},
          ConvLists::Aten,
          causal,
          true,
          !maskType,
          maskType};
}

using enum FlopFormula;

constexpr std::array kRules{
    product("aten::mm", Mm),
    product("aten::addmm", Mm, 1),
    product("aten::addmm_", Mm, 1),
    product("aten::_addmm_activation", Mm, 1),
    product("aten::bmm", Bmm),
    product("aten::baddbmm", Bmm, 1),
    product("aten::baddbmm_", Bmm, 1),
    product("aten::_scaled_mm", ScaledMm),
    product("aten::_scaled_mm_v2", ScaledMm),
    product("aten::_int_mm", ScaledMm),
    product("aten::_weight_int8pack_mm", PackedMm),
    product("aten::_weight_int4pack_mm", PackedMm),
    product("aten::_grouped_mm", GroupedMm),
    product("aten::_scaled_grouped_mm", GroupedMm),
    product("primus_turbo::grouped_gemm", GroupedMm),
    product("primus_turbo::grouped_gemm_impl", GroupedMm),
    product("aten::mv", Vector),
    product("aten::addmv", Vector, 1),
    product("aten::addmv_", Vector, 1),
    product("aten::dot", Vector),
    product("aten::vdot", Vector),
    composite("aten::linear", Linear),
    composite("aten::matmul", Matmul),
    composite("vllm::rocm_unquantized_gemm", Linear),
    composite("aiter::gemm_a16w16", Linear),
    composite("aiter::gemm_a16w16_", Linear),

    convolution("aten::convolution", FlopRole::Counted, ConvLists::Aten),
    convolution("aten::_convolution", FlopRole::Counted, ConvLists::Aten),
    convolution("aten::convolution_overrideable", FlopRole::Counted, ConvLists::Aten),
    convolution("aten::cudnn_convolution", FlopRole::Counted, ConvLists::PaddingFirst),
    convolution("aten::miopen_convolution", FlopRole::Counted, ConvLists::PaddingAfterBias),
    convolution("aten::mkldnn_convolution", FlopRole::Counted, ConvLists::PaddingAfterBias),
    convolution("aten::cudnn_convolution_relu", FlopRole::Counted, ConvLists::Plain),
    convolution("aten::miopen_convolution_relu", FlopRole::Counted, ConvLists::Plain),
    convolution("aten::conv1d", FlopRole::Composite, ConvLists::Plain),
    convolution("aten::conv2d", FlopRole::Composite, ConvLists::Plain),
    convolution("aten::conv3d", FlopRole::Composite, ConvLists::Plain),
    convolution("aten::conv_transpose1d", FlopRole::Composite, ConvLists::Transposed),
    convolution("aten::conv_transpose2d", FlopRole::Composite, ConvLists::Transposed),
    convolution("aten::conv_transpose3d", FlopRole::Composite, ConvLists::Transposed),
    product("aten::convolution_backward", ConvBackward),
    product("aten::convolution_backward_overrideable", ConvBackward),
    product("aten::cudnn_convolution_backward_input", ConvInput),
    product("aten::cudnn_convolution_backward_weight", ConvWeight),
    product("aten::miopen_convolution_backward_input", ConvInput),
    product("aten::miopen_convolution_backward_weight", ConvWeight),
    product("aten::mkldnn_convolution_backward_input", ConvInput),
    product("aten::mkldnn_convolution_backward_weights", ConvWeight),

    attention("aten::_scaled_dot_product_flash_attention", 4),
    attention("aten::_scaled_dot_product_efficient_attention", 6),
    attention("aten::_scaled_dot_product_cudnn_attention", 6),
    attention("aten::_scaled_dot_product_flash_attention_for_cpu", 4),
    attention("aten::_scaled_dot_product_fused_attention_overrideable", 5),
    attentionBackward("aten::_scaled_dot_product_flash_attention_backward", 11),
    attentionBackward("aten::_scaled_dot_product_efficient_attention_backward", 11),
    attentionBackward("aten::_scaled_dot_product_cudnn_attention_backward", 14),
    attentionBackward("aten::_scaled_dot_product_flash_attention_for_cpu_backward", 7),
    FlopRule{"aten::scaled_dot_product_attention", FlopRole::Composite, Attention, 0, ConvLists::Aten, 5},
    flash("aten::_flash_attention_forward", Attention, 8),
    flash("aten::_efficient_attention_forward", Attention, 9, true),
    flash("aten::_flash_attention_backward", AttentionBackward, 11),
    flash("aten::_efficient_attention_backward", AttentionBackward, 14, true),
    flash("flash_attn::_flash_attn_forward", Attention, 5),
    flash("flash_attn::_flash_attn_backward", AttentionBackward, 11),
    flash("FlashAttnFunc", Attention, 5),
    flash("flash_attn_3::fwd", Attention, 24),
    flash("aiter::_flash_attn_forward", Attention, 5),
    flash("aiter::wrapper_fmha_v3_fwd", Attention, 5),

    product("vllm::unified_attention", ServingAttention),
    product("vllm::unified_attention_with_output", ServingAttention),
    product("sglang::unified_attention_with_output", ServingAttention),

    product("aten::_cudnn_rnn", Recurrent, 6),
    product("aten::_cudnn_rnn_backward", Recurrent, 10),
    product("tex_ts::te_gemm_ts", EngineGemm),
    product("_Linear", EngineLinear),
    product("_LayerNormLinear", EngineLinear),
};

constexpr FlopRule kTriton = product("triton_", Triton);

} // namespace

const FlopRule* flopRuleOf(std::string_view name) {
  if (name.starts_with(kTriton.name)) return &kTriton;
  const auto found = std::ranges::find(kRules, name, &FlopRule::name);
  return found == kRules.end() ? nullptr : &*found;
}

FlopRole flopRoleOf(std::string_view name) {
  const FlopRule* const rule = flopRuleOf(name);
  return rule == nullptr ? FlopRole::None : rule->role;
}

bool isConvolutionNode(std::string_view name) {
  return name.find("::") == std::string_view::npos && name.find("Backward") != std::string_view::npos &&
         name.find("Conv") != std::string_view::npos;
}

} // namespace rankscope
