// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/model_flops.h"

#include <fmt/format.h>

namespace rankscope {

namespace {

// A lookup is no product: the input embedding does not count.
std::optional<double> multipliedParameters(const ModelSettings& model, int factor, std::string& convention) {
  const std::optional<double>& given = model.activeParameters ? model.activeParameters : model.parameters;
  if (!given || !(*given > 0)) return std::nullopt;
  if (!model.vocabulary || !model.hidden) {
    convention = fmt::format("{}Ψ", factor);
    return given;
  }
  const double rest = *given - *model.vocabulary * *model.hidden;
  if (rest <= 0) return std::nullopt;
  convention = fmt::format("{}(Ψ − VH)", factor);
  return rest;
}

} // namespace

std::optional<ModelFlops> modelFlopsPerToken(const ModelSettings& model, ModelUse use) {
  if (model.flopsPerToken && *model.flopsPerToken > 0) return ModelFlops{*model.flopsPerToken, "given"};
  ModelFlops flops;
  const int factor = use == ModelUse::Training ? 6 : 2;
  const std::optional<double> parameters = multipliedParameters(model, factor, flops.convention);
  if (!parameters) return std::nullopt;
  flops.perToken = factor * *parameters;
  if (model.layers && model.hidden && model.sequence) {
    const int attention = model.causal ? factor : 2 * factor;
    flops.perToken += attention * *model.layers * *model.hidden * *model.sequence;
    flops.convention += fmt::format(" + {}LHS", attention);
  }
  return flops;
}

std::optional<double> modelFlopsPerStep(const ModelSettings& model, ModelUse use) {
  const std::optional<ModelFlops> flops = modelFlopsPerToken(model, use);
  if (!flops || !model.tokensPerStep || !(*model.tokensPerStep > 0)) return std::nullopt;
  return flops->perToken * *model.tokensPerStep;
}

} // namespace rankscope
