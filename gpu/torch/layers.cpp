// Layers whose gradients go where they are gathered. Autograd would make a tensor of each parameter's gradient and
// add it to the buffer; here the product adds to the buffer itself.
#include "layers.h"
#include "guard.h"
#include "loops.h"
#include "mask.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

namespace {

// Where a parameter's gradient is gathered. Null for what is not a leaf: its gradient is autograd's business.
at::Tensor gathered(const at::Tensor &parameter) {
  if (!parameter.requires_grad() || !parameter.is_leaf()) return {};
  at::Tensor &grad = parameter.mutable_grad();
  if (!grad.defined()) grad = at::zeros_like(parameter);
  return grad;
}

// Adds scale * x y to the parameter's gradient, or gives it to autograd.
at::Tensor gather(const at::Tensor &parameter, const at::Tensor &x, const at::Tensor &y, double scale = 1) {
  if (!parameter.requires_grad()) return {};
  at::Tensor to = gathered(parameter);
  if (!to.defined()) return scale == 1 ? at::mm(x, y) : at::mm(x, y).mul_(scale);
  if (to.scalar_type() == x.scalar_type()) to.addmm_(x, y, 1, scale);
  else to.add_(at::mm(x, y), scale);
  return {};
}

at::Tensor product(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias) {
  return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

struct Linear : Function<Linear> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x, const at::Tensor &weight,
                            const c10::optional<at::Tensor> &given) {
    const at::Tensor bias = given.value_or(at::Tensor());
    ctx->save_for_backward({x, weight, bias});
    return product(x, weight, bias);
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &bias = saved[2];
    const at::Tensor &dy = g[0];
    at::Tensor dx, dbias;
    if (ctx->needs_input_grad(0)) dx = at::mm(dy, weight);
    at::Tensor dweight = gather(weight, dy.t(), x);
    if (bias.defined() && bias.requires_grad()) {
      at::Tensor to = gathered(bias), sum = dy.sum(0, false, at::kFloat);
      if (to.defined()) to.add_(sum);
      else dbias = sum.to(bias.scalar_type());
    }
    return {dx, dweight, dbias};
  }
};

at::Tensor dropped(const at::Tensor &x, double p, uint64_t seed) {
  if (plain(x)) {
    at::Tensor y = at::empty_like(x);
    const float *from = x.const_data_ptr<float>();
    float *to = y.mutable_data_ptr<float>();
    at::parallel_for(0, (x.numel() + 15) / 16, 1024, [&](int64_t a, int64_t b) {
      hone::dropout(from, to, a * 16, std::min(x.numel(), b * 16), p, seed);
    });
    return y;
  }
  at::Tensor keep = at::empty_like(x);
  if (x.is_meta()) {
    keep.bernoulli_(1 - p);
  } else {
    at::Generator drawn = at::globalContext().defaultGenerator(x.device());
    {
      std::lock_guard<std::mutex> lock(drawn.mutex());
      drawn.set_current_seed(seed);
    }
    keep.bernoulli_(1 - p, drawn);
  }
  return keep.mul_(x).div_(1 - p);
}

struct LoRA : Function<LoRA> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x, const at::Tensor &weight,
                            const c10::optional<at::Tensor> &bias, const at::Tensor &a, const at::Tensor &b,
                            double scale, double p, int64_t seed) {
    at::Tensor y = product(x, weight, bias.value_or(at::Tensor()));
    at::Tensor d = p > 0 ? dropped(x, p, static_cast<uint64_t>(seed)) : x;
    at::Tensor low = at::mm(d, a.to(x.scalar_type()).t());
    y.addmm_(low, b.to(x.scalar_type()).t(), 1, scale);
    ctx->save_for_backward({x, weight, a, b, low});
    ctx->saved_data["scale"] = scale;
    ctx->saved_data["p"] = p;
    ctx->saved_data["seed"] = seed;
    return y;
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &a = saved[2], &b = saved[3], &low = saved[4];
    const double scale = ctx->saved_data["scale"].toDouble(), p = ctx->saved_data["p"].toDouble();
    const uint64_t seed = static_cast<uint64_t>(ctx->saved_data["seed"].toInt());
    const at::Tensor &dy = g[0];
    at::Tensor da, db, dx, dlow = at::mm(dy, b.to(x.scalar_type())).mul_(scale);
    db = gather(b, dy.t(), low, scale);
    da = gather(a, dlow.t(), p > 0 ? dropped(x, p, seed) : x);
    if (ctx->needs_input_grad(0)) {
      dx = at::mm(dy, weight);
      if (p > 0) dx.add_(dropped(at::mm(dlow, a.to(x.scalar_type())), p, seed));
      else dx.addmm_(dlow, a.to(x.scalar_type()));
    }
    return {dx, {}, {}, da, db, {}, {}, {}};
  }
};

struct Embedding : Function<Embedding> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &weight, const at::Tensor &indices) {
    ctx->save_for_backward({weight, indices});
    return weight.index_select(0, indices);
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &weight = saved[0], &indices = saved[1];
    at::Tensor to = gathered(weight), grad = to.defined() ? to : at::zeros_like(weight);
    grad.index_add_(0, indices, g[0].to(grad.scalar_type()));
    return {to.defined() ? at::Tensor() : grad, at::Tensor()};
  }
};

c10::optional<at::Tensor> optional(const hone_tensor t) {
  return t == nullptr ? c10::nullopt : c10::optional<at::Tensor>(of(t));
}

void check_linear(const at::Tensor &x, const at::Tensor &w, const c10::optional<at::Tensor> &bias) {
  TORCH_CHECK(x.dim() == 2 && w.dim() == 2 && x.size(1) == w.size(1) &&
                  (!bias || (bias->dim() == 1 && bias->size(0) == w.size(0))),
              "expected x [rows, in], a weight [out, in] and a bias [out]");
}

} // namespace

extern "C" {

char *hone_linear(hone_tensor *out, const hone_tensor x, const hone_tensor weight, const hone_tensor bias) {
  return guarded([&] {
    c10::optional<at::Tensor> b = optional(bias);
    check_linear(of(x), of(weight), b);
    give(out, Linear::apply(of(x), of(weight), b));
  });
}

char *hone_lora(hone_tensor *out, const hone_tensor x, const hone_tensor weight, const hone_tensor bias,
                const hone_tensor a, const hone_tensor b, double scale, double p, uint64_t seed) {
  return guarded([&] {
    c10::optional<at::Tensor> c = optional(bias);
    check_linear(of(x), of(weight), c);
    TORCH_CHECK(of(a).dim() == 2 && of(b).dim() == 2 && of(a).size(1) == of(x).size(1) &&
                    of(b).size(0) == of(weight).size(0) && of(a).size(0) == of(b).size(1),
                "expected a [rank, in] and b [out, rank]");
    TORCH_CHECK(!of(weight).requires_grad() && !(c && c->requires_grad()), "the base is not frozen");
    TORCH_CHECK(p >= 0 && p < 1, "dropout ", p, ": expected 0 to below 1");
    give(out, LoRA::apply(of(x).contiguous(), of(weight), c, of(a), of(b), scale, p, static_cast<int64_t>(seed)));
  });
}

char *hone_embedding(hone_tensor *out, const hone_tensor weight, const hone_tensor indices) {
  return guarded([&] { give(out, Embedding::apply(of(weight), of(indices))); });
}

char *hone_dropout(hone_tensor *out, const hone_tensor x, double p, uint64_t seed) {
  return guarded([&] { give(out, dropped(of(x).detach().contiguous(), p, seed)); });
}
}
