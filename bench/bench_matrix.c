// bench_matrix.c: matrix products in the shapes of the layers of two networks, against OpenBLAS in the same run.
//
// Times are those of the thread's processor, the best of several turns that the two take one after the other, so that
// other work on the machine weighs on both alike. Results are compared too.
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "sfnec/random.h"
#include "simd/matrix.h"

enum { TURNS = 6 };

// C (m, n) = A (m, k) B (k, n), where either may lie transposed
typedef struct shape {
  const char *name;
  int m, n, k, a_transposed, b_transposed;
} shape;

static const shape shapes[] = {
    {"nature conv 1, one picture", 400, 32, 256, 0, 0},      {"nature conv 1, its gradient", 256, 32, 400, 1, 0},
    {"nature conv 2, 5 pictures", 405, 64, 512, 0, 0},       {"nature conv 2, its gradient", 512, 64, 405, 1, 0},
    {"nature conv 2, of its input", 405, 512, 64, 0, 1},     {"nature conv 3, 8 pictures", 392, 64, 576, 0, 0},
    {"nature conv 3, of its input", 392, 576, 64, 0, 1},     {"nature dense 512, batch 32", 32, 512, 3136, 0, 0},
    {"nature dense 512, its gradient", 3136, 512, 32, 1, 0}, {"nature dense 512, of its input", 32, 3136, 512, 0, 1},
    {"nature dense 512, one picture", 1, 512, 3136, 0, 0},   {"small conv, 6 pictures", 384, 16, 36, 0, 0},
    {"small conv, its gradient", 36, 16, 384, 1, 0},         {"small dense 128, batch 32", 32, 128, 1024, 0, 0},
    {"small dense 128, its gradient", 1024, 128, 32, 1, 0},  {"small dense 128, of its input", 32, 1024, 128, 0, 1},
    {"small dense 128, one picture", 1, 128, 1024, 0, 0},    {"square", 512, 512, 512, 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// the numbers of CBLAS for its orders and transpositions
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };
typedef void (*cblas_sgemm)(int order, int a_transposed, int b_transposed, int m, int n, int k, float alpha,
                            const float *a, int a_stride, const float *b, int b_stride, float beta, float *c,
                            int c_stride);

typedef void (*cblas_sgemv)(int order, int transposed, int m, int n, float alpha, const float *a, int stride,
                            const float *x, int x_step, float beta, float *y, int y_step);

typedef struct sides {
  const sfnec_simd *simd;
  cblas_sgemm blas;     // NULL: only ours is timed
  cblas_sgemv blas_row; // the same for a single row
  float *a, *b, *c, *scratch;
} sides;

static double thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A function of a shared library of OpenBLAS; those that SciPy brings have a prefix.
static void find(void *library, const char *name, void *function, size_t size) {
  char prefixed[64];
  snprintf(prefixed, sizeof prefixed, "scipy_%s", name);
  void *symbol = dlsym(library, name);
  if (!symbol) symbol = dlsym(library, prefixed);
  if (!symbol) bench_die("the library of --blas has no CBLAS");
  memcpy(function, &symbol, size);
}

static void open_blas(const char *path, sides *s) {
  if (!path) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void *library = dlopen(path, RTLD_NOW);
  if (!library) bench_die(dlerror());
  find(library, "cblas_sgemm", &s->blas, sizeof s->blas);
  find(library, "cblas_sgemv", &s->blas_row, sizeof s->blas_row);
}

static void multiply(const sides *s, const shape *t, int blas) {
  const size_t m = (size_t)t->m, n = (size_t)t->n, k = (size_t)t->k;
  if (blas && m == 1 && !t->b_transposed) {
    s->blas_row(ROW_MAJOR, TRANSPOSED, t->k, t->n, 1.0f, s->b, t->n, s->a, 1, 0.0f, s->c, 1);
    return;
  }
  if (blas) {
    s->blas(ROW_MAJOR, t->a_transposed ? TRANSPOSED : AS_IT_IS, t->b_transposed ? TRANSPOSED : AS_IT_IS, t->m, t->n,
            t->k, 1.0f, s->a, t->a_transposed ? t->m : t->k, s->b, t->b_transposed ? t->k : t->n, 0.0f, s->c, t->n);
    return;
  }
  const sfnec_matrix a = {s->a, t->a_transposed ? 1 : k, t->a_transposed ? m : 1};
  const sfnec_matrix b = {s->b, t->b_transposed ? 1 : n, t->b_transposed ? k : 1};
  memset(s->c, 0, m * n * sizeof *s->c);
  sfnec_matrix_multiply(s->simd, m, n, k, a, b, s->c, n, s->scratch);
}

// Seconds of one product in one turn of at least `seconds`.
static double time_turn(const sides *s, const shape *t, int blas, double seconds) {
  const double begin = thread_seconds();
  double end = begin;
  int products = 0;
  while (end - begin < seconds) {
    multiply(s, t, blas);
    products++;
    end = thread_seconds();
  }
  return (end - begin) / products;
}

// The greatest difference between the two results, over the length of a random walk of k steps.
static double difference(const sides *s, const shape *t) {
  const size_t count = (size_t)t->m * (size_t)t->n;
  float *ours = bench_alloc(count, sizeof *ours);
  multiply(s, t, 0);
  memcpy(ours, s->c, count * sizeof *ours);
  multiply(s, t, 1);
  double most = 0.0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs((double)ours[i] - (double)s->c[i]));
  free(ours);
  return most / sqrt((double)t->k);
}

static void draw(sfnec_random *random, float **to, size_t count) {
  *to = bench_alloc(count, sizeof **to);
  for (size_t i = 0; i < count; i++) (*to)[i] = (float)sfnec_random_normal(random);
}

// Times one shape and prints its row; returns how much of OpenBLAS's speed is ours.
static double run_shape(sides *s, const shape *t, double seconds, FILE *json) {
  sfnec_random random = sfnec_random_start(1, 1000);
  const size_t m = (size_t)t->m, n = (size_t)t->n, k = (size_t)t->k;
  draw(&random, &s->a, m * k);
  draw(&random, &s->b, k * n);
  s->c = bench_alloc(m * n, sizeof *s->c);
  double best[2] = {INFINITY, INFINITY};
  for (int turn = 0; turn < TURNS; turn++)
    for (int blas = 0; blas <= (s->blas != NULL); blas++)
      best[blas] = fmin(best[blas], time_turn(s, t, blas, seconds / (2 * TURNS)));
  const double work = 2e-9 * (double)m * (double)n * (double)k, ratio = best[1] / best[0];
  printf("%-32s %8.1f", t->name, work / best[0]);
  if (s->blas) {
    if (difference(s, t) > 1e-4) bench_die("a product differs from OpenBLAS's");
    printf(" %8.1f %7.0f %%", work / best[1], 100 * ratio);
  }
  printf("\n");
  if (json && s->blas)
    fprintf(json, "{\"shape\":\"%s\",\"ours\":%.2f,\"openblas\":%.2f}\n", t->name, work / best[0], work / best[1]);
  free(s->a);
  free(s->b);
  free(s->c);
  return ratio;
}

int bench_matrix(const bench_args *args) {
  sides s = {0};
  open_blas(bench_text(args, "--blas", NULL), &s);
  bench_check(sfnec_simd_select(&s.simd));
  const double seconds = (double)bench_number(args, "--seconds", 1);
  s.scratch = bench_alloc(SFNEC_MATRIX_SCRATCH, sizeof *s.scratch);
  FILE *json = bench_json(args);
  printf("level %s, one thread, GFLOP/s\n%-32s %8s%s\n", s.simd->name, "", "sfnec", s.blas ? " OpenBLAS" : "");
  double logs = 0.0;
  for (int i = 0; i < SHAPES; i++) logs += log(run_shape(&s, &shapes[i], seconds, json));
  if (s.blas) printf("geometric mean %.0f %% of OpenBLAS\n", 100 * exp(logs / SHAPES));
  if (json) fclose(json);
  free(s.scratch);
  return 0;
}
