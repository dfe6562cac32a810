// Plain fp32 loops of the gated delta net for the CPU, without libtorch. A token's result follows from its
// sequence's earlier tokens alone, by the same operations in the same order however the sequence is cut into
// passes and whatever stands beside it.
#pragma once
#include <cstdint>

namespace hone {

// Which rows of a packed batch belong to which sequence, and what is known of it from before.
struct Packed {
  const int64_t *offset; // rows of sequence s: offset[s] to offset[s+1]
  const int64_t *lane;   // of its state; null without states
  const int64_t *past;   // tokens before: 0 begins with a state of zeros
  int64_t sequences;
};

// Depthwise causal convolution and SiLU. x, y [rows, channels], w [channels, kernel], state [lanes, channels,
// kernel-1] or null, changed in place. A task is a block of 64 channels. kernel <= most_taps.
constexpr int64_t most_taps = 16, channel_block = 64;
struct Convolution {
  Packed p;
  const float *x, *w;
  float *state;
  int64_t channels, kernel;
};
void convolution_forward(const Convolution &c, float *y, int64_t from, int64_t to);
void convolution_backward(const Convolution &c, const float *dy, float *dx, float *dw, int64_t from, int64_t to);

// The gated delta rule (Yang et al. 2024, equation 10). mixed [rows, 2 * key_heads * key_width + value_heads *
// value_width] holds queries, keys and values; a, b [rows, value_heads]; a_log, dt_bias [value_heads]; state [lanes,
// value_heads, key_width, value_width] or null, changed in place; out [rows, value_heads, value_width]. Task t is
// sequence t / key_heads with key head t % key_heads and the value heads that share it.
struct DeltaRule {
  Packed p;
  const float *mixed, *a, *b, *a_log, *dt_bias;
  float *state;
  int64_t key_heads, value_heads, key_width, value_width;
};
void delta_forward(const DeltaRule &d, float *out, int64_t from, int64_t to);
// The sequences begin with zeros. da_log and ddt_bias are [sequences, value_heads]; the caller adds them up.
struct DeltaGradients {
  float *mixed, *a, *b, *a_log, *dt_bias;
};
void delta_backward(const DeltaRule &d, const float *dout, const DeltaGradients &g, int64_t from, int64_t to);

// y = x / sqrt(mean(x^2) + eps) * w * silu(z), rows of width n.
void gated_norm_forward(const float *x, const float *z, const float *w, float *y, float *inverse, int64_t from,
                        int64_t to, int64_t n, float eps);
// dw is the sum over these rows alone.
void gated_norm_backward(const float *x, const float *z, const float *w, const float *inverse, const float *dy,
                         float *dx, float *dz, float *dw, int64_t from, int64_t to, int64_t n);

// y = x * sigmoid(gate), elements [from, to).
void sigmoid_mul_forward(const float *x, const float *gate, float *y, int64_t from, int64_t to);
void sigmoid_mul_backward(const float *x, const float *gate, const float *dy, float *dx, float *dgate, int64_t from,
                          int64_t to);

} // namespace hone
