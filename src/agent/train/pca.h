// pca.h: the principal directions of observations: of embedding=pca, and of keys under noise (agent/plan/noise.h).
#ifndef SFNEC_AGENT_TRAIN_PCA_H
#define SFNEC_AGENT_TRAIN_PCA_H

#include <stddef.h>

enum { SFNEC_PCA_ROUNDS = 60 };

// The mean (d) and the covariance (d, d) of observations (count, d).
void sfnec_pca_covariance(const float *observations, size_t count, size_t d, double *mean, double *covariance);
// The m directions (m, d) of the greatest variance, the greatest first; next (m, d) is scratch. A direction that does
// not exist is 0.
void sfnec_pca_directions(const double *covariance, size_t d, size_t m, double *rows, double *next);

// The same in pieces, of a covariance that begins with zeros: the mean; what each observation (d) of so many adds; the
// first rows (m, d); and one of SFNEC_PCA_ROUNDS rounds, which turn them into the directions.
void sfnec_pca_mean(const float *observations, size_t count, size_t d, double *mean);
void sfnec_pca_add(const float *observation, size_t count, size_t d, const double *mean, double *covariance);
void sfnec_pca_start(size_t d, size_t m, double *rows);
void sfnec_pca_turn(const double *covariance, size_t d, size_t m, double *rows, double *next);

#endif
