// bases.h: radial basis functions of a point in the unit square.
//
// 10 x 10 functions exp(-|p - c|^2 / 0.1) with centres c on linspace(0, 1, 10)^2, x fastest: number 10 * row + column,
// row along y.
#ifndef SFNEC_ENV_BASES_H
#define SFNEC_ENV_BASES_H

enum { SFNEC_BASES_GRID = 10, SFNEC_BASES_COUNT = SFNEC_BASES_GRID * SFNEC_BASES_GRID };

// Writes the values at (x, y) to bases (SFNEC_BASES_COUNT).
void sfnec_bases_write(double x, double y, float *bases);

#endif
