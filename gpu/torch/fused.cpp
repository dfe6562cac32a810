// Sequences of operations as one, with their gradients. On the CPU in fp32 they run the loops of kernels.h; on any
// other device or type they are the plain libtorch operations that the loops stand for, and autograd does the rest.
#include "guard.h"
#include "kernels.h"
#include "loops.h"
#include "padded.h"
#include "plain.h"
#include "shim.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

namespace {

// A function's result; where gradients are off, without the bookkeeping for them.
template <typename F, typename... Args> at::Tensor run(const Args &...args) {
  return at::GradMode::is_enabled() ? F::apply(args...) : F::forward(nullptr, args...);
}

// Elements that the optimiser takes at a time where it makes temporary tensors of them.
constexpr int64_t device_part = 1 << 26;

struct RMSNorm : Function<RMSNorm> {
  static constexpr int64_t part = 64; // rows summed into one part of the weight's gradient

  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x0, const at::Tensor &weight, double eps) {
    at::Tensor x = x0.contiguous(), y = at::empty_like(x);
    const int64_t n = x.size(-1), rows = x.numel() / std::max<int64_t>(1, n);
    at::Tensor inverse = at::empty({rows}, x.options());
    const float *px = in(x), *pw = in(weight);
    float *py = out_of(y), *pi = out_of(inverse);
    at::parallel_for(0, rows, grain(n), [&](int64_t from, int64_t to) {
      hone::rms_norm_forward(px, pw, py, pi, from, to, n, static_cast<float>(eps));
    });
    if (ctx) ctx->save_for_backward({x, weight, inverse});
    return y;
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &inverse = saved[2];
    at::Tensor dy = g[0].contiguous(), dx = at::empty_like(x);
    const int64_t n = x.size(-1), rows = x.numel() / std::max<int64_t>(1, n), parts = (rows + part - 1) / part;
    at::Tensor sums = at::empty({parts, n}, x.options());
    const float *px = in(x), *pw = in(weight), *pi = in(inverse), *pd = in(dy);
    float *po = out_of(dx), *ps = out_of(sums);
    at::parallel_for(0, parts, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++)
        hone::rms_norm_backward(px, pw, pi, pd, po, ps + i * n, i * part, std::min(rows, (i + 1) * part), n);
    });
    return {dx, weight.requires_grad() ? sums.sum(0) : at::Tensor(), at::Tensor()};
  }
};

struct SiluMul : Function<SiluMul> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &gate0, const at::Tensor &up0) {
    at::Tensor gate = gate0.contiguous(), up = up0.contiguous(), y = at::empty_like(gate);
    const float *pg = in(gate), *pu = in(up);
    float *py = out_of(y);
    at::parallel_for(0, (gate.numel() + 15) / 16, 1024, [&](int64_t from, int64_t to) {
      hone::silu_mul_forward(pg, pu, py, from * 16, std::min(gate.numel(), to * 16));
    });
    if (ctx) ctx->save_for_backward({gate, up});
    return y;
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &gate = saved[0], &up = saved[1];
    at::Tensor dy = g[0].contiguous(), dgate = at::empty_like(gate), dup = at::empty_like(up);
    const float *pg = in(gate), *pu = in(up), *pd = in(dy);
    float *og = out_of(dgate), *ou = out_of(dup);
    at::parallel_for(0, (gate.numel() + 15) / 16, 1024, [&](int64_t from, int64_t to) {
      hone::silu_mul_backward(pg, pu, pd, og, ou, from * 16, std::min(gate.numel(), to * 16));
    });
    return {dgate, dup};
  }
};

at::Tensor rotate(const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin, const at::Tensor &positions,
                  float sign) {
  at::Tensor y = at::empty_like(x);
  const int64_t heads = x.size(1), width = x.size(2), turned = 2 * cos.size(1);
  const float *px = in(x), *pc = in(cos), *ps = in(sin);
  const int64_t *pp = positions.const_data_ptr<int64_t>();
  float *py = out_of(y);
  at::parallel_for(0, x.size(0) * heads, grain(width), [&](int64_t from, int64_t to) {
    hone::rotary(px, pc, ps, pp, py, sign, from, to, heads, width, turned);
  });
  return y;
}

struct Rotary : Function<Rotary> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin,
                            const at::Tensor &positions) {
    if (ctx) ctx->save_for_backward({cos, sin, positions});
    return rotate(x.contiguous(), cos, sin, positions, 1);
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    return {rotate(g[0].contiguous(), saved[0], saved[1], saved[2], -1), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

// Which rows belong to which sequence; see kernels.h.
struct Layout {
  std::vector<int64_t> q_offset, k_start, position;
};

hone::Attention attention(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, const at::Tensor &out,
                          const at::Tensor &lse, const Layout &l, double scale) {
  return {in(q), in(k), in(v), out_of(out), out_of(lse), l.q_offset.data(), l.k_start.data(), l.position.data(),
          q.size(1), k.size(1), q.size(2), static_cast<float>(scale), nullptr, nullptr, nullptr, nullptr};
}

// A decoding step of a few tokens is not worth waking threads for.
int64_t attention_grain(const Layout &l, int64_t tasks, int64_t width) {
  int64_t pairs = 0;
  for (int64_t p : l.position) pairs += p + 1;
  return pairs * width < 65536 ? tasks : 1;
}

struct Attend : Function<Attend> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &q0, const at::Tensor &k0, const at::Tensor &v0,
                            const std::shared_ptr<Layout> &layout, double scale) {
    at::Tensor q = q0.contiguous(), k = k0.contiguous(), v = v0.contiguous(), out = at::empty_like(q);
    at::Tensor lse = at::empty({q.size(0), q.size(1)}, q.options());
    const int64_t tasks = static_cast<int64_t>(layout->k_start.size()) * k.size(1);
    hone::Attention a = attention(q, k, v, out, lse, *layout, scale);
    at::parallel_for(0, tasks, attention_grain(*layout, tasks, q.size(2)),
                     [&](int64_t from, int64_t to) { hone::attention_forward(a, from, to); });
    if (!ctx) return out;
    ctx->save_for_backward({q, k, v, out, lse});
    ctx->saved_data["q_offset"] = layout->q_offset;
    ctx->saved_data["k_start"] = layout->k_start;
    ctx->saved_data["position"] = layout->position;
    ctx->saved_data["scale"] = scale;
    return out;
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2], &out = saved[3], &lse = saved[4];
    Layout layout{ctx->saved_data["q_offset"].toIntVector(), ctx->saved_data["k_start"].toIntVector(),
                  ctx->saved_data["position"].toIntVector()};
    at::Tensor dout = g[0].contiguous(), dq = at::empty_like(q), dk = at::zeros_like(k), dv = at::zeros_like(v);
    const int64_t tasks = static_cast<int64_t>(layout.k_start.size()) * k.size(1);
    hone::Attention a = attention(q, k, v, out, lse, layout, ctx->saved_data["scale"].toDouble());
    const float *pd = in(dout);
    float *oq = out_of(dq), *ok = out_of(dk), *ov = out_of(dv);
    at::parallel_for(0, tasks, 1,
                     [&](int64_t from, int64_t to) { hone::attention_backward(a, pd, oq, ok, ov, from, to); });
    return {dq, dk, dv, at::Tensor(), at::Tensor()};
  }
};

} // namespace

extern "C" {

char *hone_rms_norm(hone_tensor *out, const hone_tensor x, const hone_tensor weight, double eps) {
  return guarded([&] {
    const at::Tensor &t = of(x), &w = of(weight);
    TORCH_CHECK(w.dim() == 1 && t.dim() > 0 && t.size(-1) == w.size(0), "the last size is not the weight's");
    if (plain(t) && plain(w) && w.is_contiguous()) return give(out, run<RMSNorm>(t, w, eps));
    give(out, hone::rms_norm_plain(t, w, eps));
  });
}

char *hone_silu_mul(hone_tensor *out, const hone_tensor gate, const hone_tensor up) {
  return guarded([&] {
    const at::Tensor &g = of(gate), &u = of(up);
    TORCH_CHECK(g.sizes() == u.sizes(), "the sizes differ");
    give(out, plain(g) && plain(u) ? run<SiluMul>(g, u) : hone::silu_mul_plain(g, u));
  });
}

char *hone_rotary(hone_tensor *out, const hone_tensor x, const hone_tensor cos, const hone_tensor sin,
                  const hone_tensor positions) {
  return guarded([&] {
    const at::Tensor &t = of(x), &c = of(cos), &s = of(sin), &p = of(positions);
    TORCH_CHECK(t.dim() == 3 && c.dim() == 2 && c.sizes() == s.sizes() && 2 * c.size(1) <= t.size(2) && p.dim() == 1 &&
                    p.size(0) == t.size(0),
                "expected x [rows, heads, width], tables [positions, at most width/2] and one position a row");
    if (plain(t)) {
      const int64_t *at_ = p.const_data_ptr<int64_t>();
      for (int64_t i = 0; i < p.size(0); i++)
        TORCH_CHECK(at_[i] >= 0 && at_[i] < c.size(0), "position ", at_[i], " is not below ", c.size(0));
      return give(out, run<Rotary>(t, c, s, p));
    }
    give(out, hone::rotary_plain(t, c, s, p));
  });
}

char *hone_attention(hone_tensor *out, const hone_tensor q, const hone_tensor k, const hone_tensor v,
                     const int64_t *q_offset, const int64_t *k_start, const int64_t *position, int64_t sequences,
                     double scale) {
  return guarded([&] {
    const at::Tensor &tq = of(q), &tk = of(k), &tv = of(v);
    TORCH_CHECK(tq.dim() == 3 && tk.dim() == 3 && tk.sizes() == tv.sizes() && tq.size(2) == tk.size(2) &&
                    tq.size(1) % tk.size(1) == 0,
                "expected q [rows, heads, width] and k, v [keys, kv heads, width]");
    auto l = std::make_shared<Layout>();
    l->q_offset.assign(q_offset, q_offset + sequences + 1);
    l->k_start.assign(k_start, k_start + sequences);
    l->position.assign(position, position + q_offset[sequences]);
    TORCH_CHECK(q_offset[0] == 0 && q_offset[sequences] == tq.size(0), "the sequences have ", q_offset[sequences],
                " rows");
    for (int64_t s = 0; s < sequences; s++)
      for (int64_t i = q_offset[s]; i < q_offset[s + 1]; i++)
        TORCH_CHECK(position[i] >= 0 && k_start[s] >= 0 && k_start[s] + position[i] < tk.size(0), "sequence ", s,
                    " sees key rows up to ", k_start[s] + position[i], " of ", tk.size(0));
    TORCH_CHECK(hone_attention_loops(q, k, v), "there is no loop for these tensors");
    give(out, run<Attend>(tq, tk, tv, l, scale));
  });
}

char *hone_square_sum(const hone_tensor t, double *value) {
  return guarded([&] {
    const at::Tensor &x = of(t);
    if (!plain(x) || !x.is_contiguous()) {
      const at::Tensor flat = x.reshape(-1);
      at::Tensor sum = at::zeros({}, flat.options().dtype(at::kDouble));
      for (int64_t at_ = 0; at_ < flat.numel(); at_ += device_part)
        sum += at::square(flat.narrow(0, at_, std::min(device_part, flat.numel() - at_)).to(at::kDouble)).sum();
      *value = sum.item().toDouble();
      return;
    }
    constexpr int64_t part = 1 << 16;
    const int64_t n = x.numel(), parts = (n + part - 1) / part;
    std::vector<double> sums(parts);
    const float *p = in(x);
    at::parallel_for(0, parts, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++) sums[i] = hone::square_sum(p + i * part, std::min(part, n - i * part));
    });
    *value = 0;
    for (double s : sums) *value += s;
  });
}

char *hone_adamw(const hone_tensor w, const hone_tensor g, const hone_tensor m, const hone_tensor v, int64_t decayed,
                 double rate, double beta1, double beta2, double eps, double decay, double correction1,
                 double correction2, double grad_scale) {
  return guarded([&] {
    at::NoGradGuard none;
    at::Tensor tw = of(w), tg = of(g), tm = of(m), tv = of(v);
    const int64_t n = tw.numel();
    TORCH_CHECK(tg.numel() == n && tm.numel() == n && tv.numel() == n && decayed <= n, "the buffers' sizes differ");
    if (plain(tw)) {
      auto f = [](double x) { return static_cast<float>(x); };
      hone::AdamW a{f(rate), f(beta1), f(1 - beta1), f(beta2), f(1 - beta2), f(eps), f(decay), f(correction1),
                    f(correction2), f(grad_scale)};
      const float *pg = in(tg);
      float *pw = out_of(tw), *pm = out_of(tm), *pv = out_of(tv);
      at::parallel_for(0, n, 1 << 15, [&](int64_t from, int64_t to) {
        const int64_t edge = std::min(std::max(from, decayed), to);
        hone::adamw(pw, pg, pm, pv, from, edge, a);
        hone::AdamW b = a;
        b.decay = 0;
        hone::adamw(pw, pg, pm, pv, edge, to, b);
      });
      return;
    }
    tw.narrow(0, 0, decayed).mul_(1 - rate * decay);
    for (int64_t at_ = 0; at_ < n; at_ += device_part) {
      auto part = [&](const at::Tensor &t) { return t.narrow(0, at_, std::min(device_part, n - at_)); };
      at::Tensor scaled = part(tg) * grad_scale, m1 = part(tm), v1 = part(tv);
      m1.mul_(beta1).add_(scaled, 1 - beta1);
      v1.mul_(beta2).addcmul_(scaled, scaled, 1 - beta2);
      part(tw).addcdiv_(m1, (v1 / correction2).sqrt_().add_(eps), -rate / correction1);
    }
  });
}
}
