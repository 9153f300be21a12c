// pca.h: the principal directions of observations: of embedding=pca, and of keys under noise (agent/plan/noise.h).
#ifndef SFNEC_AGENT_TRAIN_PCA_H
#define SFNEC_AGENT_TRAIN_PCA_H

#include <stddef.h>

// The mean (d) and the covariance (d, d) of observations (count, d).
void sfnec_pca_covariance(const float *observations, size_t count, size_t d, double *mean, double *covariance);
// The m directions (m, d) of the greatest variance, the greatest first; next (m, d) is scratch. A direction that does
// not exist is 0.
void sfnec_pca_directions(const double *covariance, size_t d, size_t m, double *rows, double *next);

#endif
