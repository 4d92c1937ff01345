/* What one core computes at most in double precision, in registers alone. */

#include <stdint.h>

typedef double Vector __attribute__((vector_size(64)));
enum { VECTORS = 12, LANES = sizeof(Vector) / sizeof(double) };

static double sum_of(const Vector *v) {
  double sum = 0.0;
  for (int k = 0; k < VECTORS; k++)
    for (int i = 0; i < LANES; i++) sum += v[k][i];
  return sum;
}

/* Fused multiply-adds: VECTORS * LANES in each round. */
double multiply_adds(int64_t rounds) {
  Vector v[VECTORS];
  for (int k = 0; k < VECTORS; k++) v[k] = (Vector){0} + k;
  for (int64_t round = 0; round < rounds; round++)
    for (int k = 0; k < VECTORS; k++) v[k] = v[k] * 0.999 + 0.5;
  return sum_of(v);
}

/* Divisions: as many in each round. */
double divisions(int64_t rounds) {
  Vector v[VECTORS];
  for (int k = 0; k < VECTORS; k++) v[k] = (Vector){0} + 1.5 + k;
  for (int64_t round = 0; round < rounds; round++)
    for (int k = 0; k < VECTORS; k++) v[k] = 3.7 / v[k];
  return sum_of(v);
}

int64_t of_a_round(void) { return VECTORS * LANES; }
