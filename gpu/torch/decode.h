// C face of what decoding needs: see paged.cpp, rows.cpp and draw.cpp. As in shim.h, what can fail returns NULL or a
// message that the caller frees.
#ifndef HONE_DECODE_H
#define HONE_DECODE_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether t is contiguous fp32 on the CPU: what the loops below take.
int hone_plain(const hone_tensor t);

// Attention on the CPU in fp32 without gradients over keys and values in pages of 16 rows: key j of sequence s is row
// 16 * pages[page_start[s] + j/16] + j%16.
char *hone_attention_paged(hone_tensor *out, const hone_tensor q, const hone_tensor k, const hone_tensor v,
                           const int64_t *q_offset, const int64_t *position, int64_t sequences, const int64_t *pages,
                           const int64_t *page_start, double scale);

// x [rows, in] times w' [out, in], plus bias [out] or NULL, on the CPU in fp32 without gradients. Each element adds
// in one order, whatever the number of rows.
char *hone_linear_rows(hone_tensor *out, const hone_tensor x, const hone_tensor w, const hone_tensor bias);

// A draw from a row of logits. Temperature 0 is the first of the largest. top_k 0 and top_p 1 keep all tokens.
typedef struct {
  int64_t row;
  double temperature, top_p, uniform; // uniform is in [0, 1)
  int64_t top_k;
} hone_draw_request;

typedef struct {
  int64_t token;
  double log_prob;  // at temperature 1, over all tokens
  double drawn;     // of the distribution drawn from
  double largest;   // logit of the row
  int finite;       // 0: the row has no finite largest logit, or one that is not a number; nothing else is set
} hone_drawn;

// Draws from rows of logits [rows, vocabulary]. For each draw the best tokens, as many as best says, with their log
// probabilities at temperature 1, are written to ids and log_probs; ties go to the smaller token.
char *hone_draw(const hone_tensor logits, const hone_draw_request *requests, int64_t count, hone_drawn *drawn,
                int64_t best, int32_t *ids, float *log_probs);

// values[i] = log softmax(logits[row[i]])[token[i]].
char *hone_log_probs(const hone_tensor logits, const int64_t *row, const int64_t *token, int64_t count, double *values);

// values[i] = hidden[row[i]] . head[token[i]] in fp64.
char *hone_products(const hone_tensor hidden, const hone_tensor head, const int64_t *row, const int64_t *token,
                    int64_t count, double *values);

#ifdef __cplusplus
}
#endif
#endif
