// What an encoder such as BERT needs beside shim.h. Without gradients: encoders are only read here.
#ifndef HONE_ENCODER_H
#define HONE_ENCODER_H
#include "shim.h"

#ifdef __cplusplus
extern "C" {
#endif

char *hone_layer_norm(hone_tensor *out, const hone_tensor x, const hone_tensor weight, const hone_tensor bias, double eps);
char *hone_gelu(hone_tensor *out, const hone_tensor x);
char *hone_mean_unit(hone_tensor *out, const hone_tensor x, const int64_t *offset, int64_t sequences);

#ifdef __cplusplus
}
#endif
#endif
