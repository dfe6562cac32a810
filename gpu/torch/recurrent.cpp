// The gated delta rule token by token, value columns along the vector. A column of the state depends on no other
// column, so a block of columns runs through the whole sequence while it lies in the first cache.
#ifndef TARGET
#include "recurrent.h"

#include <algorithm>
#include <cmath>
#include <vector>
#define LOOPS "recurrent.cpp"
#include "targets.h"

namespace hone {
void delta_forward(const DeltaRule &d, float *out, int64_t from, int64_t to) { CALL(delta_forward, d, out, from, to) }
void delta_backward(const DeltaRule &d, const float *dout, const DeltaGradients &grad, int64_t from, int64_t to) {
  CALL(delta_backward, d, dout, grad, from, to)
}
} // namespace hone
#else
#include "vectors16.h"

namespace hone {
namespace TARGET {
namespace {

constexpr float unit_eps = 1e-6f;

INLINE int64_t round16(int64_t n) { return (n + 15) / 16 * 16; }

// Queries and keys of one key head at unit length, queries scaled, in rows of round16(width) filled up with zeros; the
// factors that did it (Yang et al. 2024, section 3.4).
struct Units {
  std::vector<float> q, k, q_inverse, k_inverse;
  int64_t wide;

  __attribute__((always_inline)) inline void make(const DeltaRule &d, int64_t first, int64_t rows, int64_t head) {
    const int64_t channels = 2 * d.key_heads * d.key_width + d.value_heads * d.value_width;
    wide = round16(d.key_width);
    for (std::vector<float> *v : {&q, &k}) v->resize(rows * wide);
    for (std::vector<float> *v : {&q_inverse, &k_inverse}) v->resize(rows);
    const float scale = 1.0f / std::sqrt(static_cast<float>(d.key_width));
    for (int64_t t = 0; t < rows; t++) {
      const float *qr = d.mixed + (first + t) * channels + head * d.key_width, *kr = qr + d.key_heads * d.key_width;
      q_inverse[t] = one(qr, q.data() + t * wide, d.key_width, scale);
      k_inverse[t] = one(kr, k.data() + t * wide, d.key_width, 1.0f);
    }
  }

  __attribute__((always_inline)) static inline float one(const float *x, float *y, int64_t n, float scale) {
    v16 sum = {};
    for (int64_t i = 0; i < n; i += 16) {
      v16 v = some(x + i, n - i);
      sum += v * v;
    }
    const float inverse = 1.0f / std::sqrt(lanes(sum) + unit_eps);
    for (int64_t i = 0; i < n; i += 16) store(y + i, some(x + i, n - i) * inverse * scale);
    return inverse;
  }
};

// The decay e^a and the rate beta of one value head at one row.
struct Gates {
  float decay, beta, log_decay, slope; // slope: of log_decay by its input
};
INLINE Gates gates(const DeltaRule &d, int64_t row, int64_t head) {
  const float x = d.a[row * d.value_heads + head] + d.dt_bias[head], speed = -std::exp(d.a_log[head]);
  const float plus = x > 20.0f ? x : std::log1p(std::exp(x));
  const float a = speed * plus;
  return {std::exp(a), 1.0f / (1.0f + std::exp(-d.b[row * d.value_heads + head])), a,
          speed / (1.0f + std::exp(-x))};
}

// What one token does to N vectors of columns: S <- decay S; delta = beta (v - k'S); S <- S + k delta; o = q'S.
template <int N>
__attribute__((always_inline)) inline void token(float *s, int64_t stride, int64_t width, const float *q,
                                                 const float *k, float decay, float beta, const v16 *v, v16 *delta,
                                                 v16 *o) {
  v16 even[N] = {}, odd[N] = {};
  int64_t i = 0;
  for (; i + 1 < width; i += 2)
    for (int n = 0; n < N; n++) {
      even[n] += k[i] * load(s + i * stride + 16 * n);
      odd[n] += k[i + 1] * load(s + (i + 1) * stride + 16 * n);
    }
  if (i < width)
    for (int n = 0; n < N; n++) even[n] += k[i] * load(s + i * stride + 16 * n);
  for (int n = 0; n < N; n++) delta[n] = beta * (v[n] - decay * (even[n] + odd[n]));
  v16 a[N] = {}, b[N] = {};
  for (i = 0; i + 1 < width; i += 2)
    for (int n = 0; n < N; n++) {
      v16 x = decay * load(s + i * stride + 16 * n) + k[i] * delta[n];
      v16 y = decay * load(s + (i + 1) * stride + 16 * n) + k[i + 1] * delta[n];
      store(s + i * stride + 16 * n, x);
      store(s + (i + 1) * stride + 16 * n, y);
      a[n] += q[i] * x;
      b[n] += q[i + 1] * y;
    }
  if (i < width)
    for (int n = 0; n < N; n++) {
      v16 x = decay * load(s + i * stride + 16 * n) + k[i] * delta[n];
      store(s + i * stride + 16 * n, x);
      a[n] += q[i] * x;
    }
  for (int n = 0; n < N; n++) o[n] = a[n] + b[n];
}

// One value head's columns [c, c + 16 N) through a sequence.
template <int N>
__attribute__((always_inline)) inline void columns(const DeltaRule &d, int64_t seq, int64_t head, int64_t c,
                                                   const Units &u, const Gates *g, float *scratch, float *out) {
  const int64_t first = d.p.offset[seq], rows = d.p.offset[seq + 1] - first, left = d.value_width - c;
  const int64_t channels = 2 * d.key_heads * d.key_width + d.value_heads * d.value_width;
  const float *values = d.mixed + 2 * d.key_heads * d.key_width + head * d.value_width + c;
  float *lane = nullptr, *s = scratch;
  int64_t stride = 16 * N;
  if (d.state != nullptr)
    lane = d.state + (d.p.lane[seq] * d.value_heads + head) * d.key_width * d.value_width + c;
  const bool in_place = lane != nullptr && rows <= 2 && left >= 16 * N; // a copy would not pay
  if (in_place) {
    s = lane;
    stride = d.value_width;
  }
  if (lane == nullptr || d.p.past[seq] == 0) {
    for (int64_t i = 0; i < d.key_width; i++)
      for (int n = 0; n < N; n++) store(s + i * stride + 16 * n, v16{});
  } else if (!in_place) {
    for (int64_t i = 0; i < d.key_width; i++)
      for (int n = 0; n < N; n++)
        store(s + i * stride + 16 * n, some(lane + i * d.value_width + 16 * n, left - 16 * n));
  }
  for (int64_t t = 0; t < rows; t++) {
    v16 v[N], delta[N], o[N];
    for (int n = 0; n < N; n++) v[n] = some(values + (first + t) * channels + 16 * n, left - 16 * n);
    token<N>(s, stride, d.key_width, u.q.data() + t * u.wide, u.k.data() + t * u.wide, g[t].decay, g[t].beta, v,
             delta, o);
    float *to = out + ((first + t) * d.value_heads + head) * d.value_width + c;
    for (int n = 0; n < N; n++) some_to(to + 16 * n, o[n], left - 16 * n);
  }
  if (lane != nullptr && !in_place)
    for (int64_t i = 0; i < d.key_width; i++)
      for (int n = 0; n < N; n++)
        some_to(lane + i * d.value_width + 16 * n, load(s + i * stride + 16 * n), left - 16 * n);
}

} // namespace

WIDE void delta_forward(const DeltaRule &d, float *out, int64_t from, int64_t to) {
  const int64_t group = d.value_heads / d.key_heads;
  Units u;
  std::vector<Gates> g;
  std::vector<float> scratch(d.key_width * 64);
  for (int64_t task = from; task < to; task++) {
    const int64_t seq = task / d.key_heads, key = task % d.key_heads;
    const int64_t first = d.p.offset[seq], rows = d.p.offset[seq + 1] - first;
    if (rows == 0) continue;
    u.make(d, first, rows, key);
    g.resize(rows);
    for (int64_t h = key * group; h < (key + 1) * group; h++) {
      for (int64_t t = 0; t < rows; t++) g[t] = gates(d, first + t, h);
      int64_t c = 0;
      for (; d.value_width - c >= 64; c += 64) columns<4>(d, seq, h, c, u, g.data(), scratch.data(), out);
      for (; d.value_width - c >= 32; c += 32) columns<2>(d, seq, h, c, u, g.data(), scratch.data(), out);
      for (; d.value_width - c > 0; c += 16) columns<1>(d, seq, h, c, u, g.data(), scratch.data(), out);
    }
  }
}

namespace {

constexpr int64_t stretch = 32; // tokens whose states are kept at once on the way back

// Element i is the sum of x[i]'s lanes.
INLINE v16 sums(const v16 *x) {
  v8 a[8], b[8];
  for (int i = 0; i < 8; i++) {
    a[i] = halved(x[i]);
    b[i] = halved(x[i + 8]);
  }
  return joined(sums8(a), sums8(b));
}

// Room for one block of columns on the way back.
struct Back {
  std::vector<float> starts; // states at the beginning of each stretch
  std::vector<float> states; // before each token of one stretch
  std::vector<float> deltas; // of each token of one stretch
  std::vector<float> ds;     // gradient of the state
  std::vector<float> dq, dk; // of the units, all value heads of the key head together
  std::vector<float> ddecay, dbeta;
};

// With G the gradient of the state after a token: G += q do'; d delta = k'G; dv = beta d delta, dr = -dv;
// dk = G delta + decay S dr; dq = (decay S + k delta') do; G <- G + k dr'; d decay = <G, S>; G <- decay G.
template <int N>
__attribute__((always_inline)) inline void columns_back(const DeltaRule &d, int64_t seq, int64_t head, int64_t c,
                                                        const Units &u, const Gates *g, Back &b, const float *dout,
                                                        float *dmixed) {
  constexpr int64_t W = 16 * N;
  const int64_t first = d.p.offset[seq], rows = d.p.offset[seq + 1] - first, left = d.value_width - c;
  const int64_t keys = 2 * d.key_heads * d.key_width, channels = keys + d.value_heads * d.value_width;
  const int64_t wide = u.wide, size = wide * W, at = keys + head * d.value_width + c;
  const int64_t stretches = (rows + stretch - 1) / stretch;
  b.starts.assign(stretches * size, 0.0f);
  b.states.resize(stretch * size);
  b.deltas.resize(stretch * W);
  b.ds.assign(size, 0.0f);
  v16 v[N], o[N];
  auto values = [&](int64_t t) __attribute__((always_inline)) {
    for (int n = 0; n < N; n++) v[n] = some(d.mixed + (first + t) * channels + at + 16 * n, left - 16 * n);
  };
  float *s = b.states.data();
  std::fill(s, s + size, 0.0f);
  for (int64_t t = 0; t < (stretches - 1) * stretch; t++) {
    v16 delta[N];
    values(t);
    token<N>(s, W, wide, u.q.data() + t * wide, u.k.data() + t * wide, g[t].decay, g[t].beta, v, delta, o);
    if ((t + 1) % stretch == 0) std::copy(s, s + size, b.starts.data() + (t + 1) / stretch * size);
  }
  for (int64_t i = stretches - 1; i >= 0; i--) {
    const int64_t begin = i * stretch, end = std::min(rows, begin + stretch);
    std::copy(b.starts.data() + i * size, b.starts.data() + (i + 1) * size, b.states.data());
    for (int64_t t = begin; t < end; t++) { // states before each token
      float *now = b.states.data() + (t - begin) * size;
      const float *q = u.q.data() + t * wide, *k = u.k.data() + t * wide;
      v16 delta[N];
      values(t);
      if (t + 1 < end) {
        std::copy(now, now + size, now + size);
        token<N>(now + size, W, wide, q, k, g[t].decay, g[t].beta, v, delta, o);
      } else { // the delta alone
        v16 r[N] = {};
        for (int64_t j = 0; j < wide; j++)
          for (int n = 0; n < N; n++) r[n] += k[j] * load(now + j * W + 16 * n);
        for (int n = 0; n < N; n++) delta[n] = g[t].beta * (v[n] - g[t].decay * r[n]);
      }
      for (int n = 0; n < N; n++) store(b.deltas.data() + (t - begin) * W + 16 * n, delta[n]);
    }
    for (int64_t t = end - 1; t >= begin; t--) {
      const float *before = b.states.data() + (t - begin) * size;
      const float *q = u.q.data() + t * wide, *k = u.k.data() + t * wide;
      float *ds = b.ds.data();
      const float decay = g[t].decay, beta = g[t].beta;
      v16 delta[N], dgiven[N], ddelta[N] = {};
      for (int n = 0; n < N; n++) {
        delta[n] = load(b.deltas.data() + (t - begin) * W + 16 * n);
        dgiven[n] = some(dout + ((first + t) * d.value_heads + head) * d.value_width + c + 16 * n, left - 16 * n);
      }
      for (int64_t j = 0; j < wide; j += 16) {
        v16 x[16];
        for (int r = 0; r < 16; r++) {
          x[r] = v16{};
          for (int n = 0; n < N; n++) {
            const int64_t e = (j + r) * W + 16 * n;
            v16 grad = load(ds + e) + q[j + r] * dgiven[n];
            store(ds + e, grad);
            ddelta[n] += k[j + r] * grad;
            x[r] += (decay * load(before + e) + k[j + r] * delta[n]) * dgiven[n];
          }
        }
        float *to = b.dq.data() + t * wide + j;
        store(to, load(to) + sums(x));
      }
      v16 dr[N], ddecay = {}, dbeta = {};
      values(t);
      for (int n = 0; n < N; n++) {
        v16 dv = beta * ddelta[n];
        some_to(dmixed + (first + t) * channels + at + 16 * n, dv, left - 16 * n);
        dr[n] = -dv;
        dbeta += ddelta[n] * delta[n]; // times beta
      }
      for (int64_t j = 0; j < wide; j += 16) {
        v16 x[16];
        for (int r = 0; r < 16; r++) {
          x[r] = v16{};
          for (int n = 0; n < N; n++) {
            const int64_t e = (j + r) * W + 16 * n;
            v16 state = load(before + e), grad = load(ds + e);
            x[r] += grad * delta[n] + decay * state * dr[n];
            grad += k[j + r] * dr[n];
            ddecay += grad * state;
            store(ds + e, decay * grad);
          }
        }
        float *to = b.dk.data() + t * wide + j;
        store(to, load(to) + sums(x));
      }
      b.ddecay[t] += lanes(ddecay);
      b.dbeta[t] += lanes(dbeta);
    }
  }
}

// y = x * inverse * scale, inverse = 1/sqrt(x'x + eps): dx = inverse * (scale * dy - y * (y'dy) / scale).
INLINE void unit_back(const float *y, const float *dy, float inverse, float scale, int64_t n, float *dx) {
  v16 dot = {};
  for (int64_t i = 0; i < n; i += 16) dot += load(y + i) * load(dy + i);
  const float along = lanes(dot) / scale;
  for (int64_t i = 0; i < n; i += 16) some_to(dx + i, inverse * (scale * load(dy + i) - along * load(y + i)), n - i);
}

} // namespace

WIDE void delta_backward(const DeltaRule &d, const float *dout, const DeltaGradients &grad, int64_t from,
                           int64_t to) {
  const int64_t group = d.value_heads / d.key_heads, wide = round16(d.key_width);
  const int64_t channels = 2 * d.key_heads * d.key_width + d.value_heads * d.value_width;
  const float scale = 1.0f / std::sqrt(static_cast<float>(d.key_width));
  Units u;
  Back b;
  std::vector<Gates> g;
  for (int64_t task = from; task < to; task++) {
    const int64_t seq = task / d.key_heads, key = task % d.key_heads;
    const int64_t first = d.p.offset[seq], rows = d.p.offset[seq + 1] - first;
    u.make(d, first, rows, key);
    g.resize(rows);
    b.dq.assign(rows * wide, 0.0f);
    b.dk.assign(rows * wide, 0.0f);
    for (int64_t h = key * group; h < (key + 1) * group; h++) {
      for (int64_t t = 0; t < rows; t++) g[t] = gates(d, first + t, h);
      b.ddecay.assign(rows, 0.0f);
      b.dbeta.assign(rows, 0.0f);
      int64_t c = 0;
      for (; d.value_width - c >= 32; c += 32) columns_back<2>(d, seq, h, c, u, g.data(), b, dout, grad.mixed);
      for (; d.value_width - c > 0; c += 16) columns_back<1>(d, seq, h, c, u, g.data(), b, dout, grad.mixed);
      float speed = 0, bias = 0;
      for (int64_t t = 0; t < rows; t++) {
        const int64_t at = (first + t) * d.value_heads + h;
        const float dlog = b.ddecay[t] * g[t].decay;
        grad.a[at] = dlog * g[t].slope;
        grad.b[at] = b.dbeta[t] * (1.0f - g[t].beta); // d beta = dbeta / beta, beta' = beta (1 - beta)
        speed += dlog * g[t].log_decay;
        bias += grad.a[at];
      }
      grad.a_log[seq * d.value_heads + h] = speed;
      grad.dt_bias[seq * d.value_heads + h] = bias;
    }
    for (int64_t t = 0; t < rows; t++) {
      float *to_q = grad.mixed + (first + t) * channels + key * d.key_width, *to_k = to_q + d.key_heads * d.key_width;
      unit_back(u.q.data() + t * wide, b.dq.data() + t * wide, u.q_inverse[t], scale, d.key_width, to_q);
      unit_back(u.k.data() + t * wide, b.dk.data() + t * wide, u.k_inverse[t], 1.0f, d.key_width, to_k);
    }
  }
}

} // namespace TARGET
} // namespace hone
#endif
