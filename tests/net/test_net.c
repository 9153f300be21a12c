// test_net.c: networks against a forward pass written out in double, and gradients against its finite differences;
// every level of instructions, and every size of batch, gives the same bits; descriptions that are refused.
#include "net/net.h"
#include "sfnec/random.h"
#include "support/check.h"

// A network, its weights and some inputs, drawn.
typedef struct scene {
  sfnec_net net;
  size_t count;                     // of inputs
  float *weights, *inputs, *wanted; // wanted (count, outputs): the loss is its inner product with the outputs
} scene;

static float *draw(sfnec_random *random, size_t count, double sd) {
  float *numbers = calloc(count + 1, sizeof *numbers);
  assert_non_null(numbers);
  for (size_t i = 0; i < count; i++) numbers[i] = (float)(sd * sfnec_random_normal(random));
  return numbers;
}

static void open_scene(scene *s, const char *text, size_t height, size_t width, size_t channels, bool unit,
                       size_t count) {
  sfnec_random random = sfnec_random_start(11, 1000);
  OK(sfnec_net_describe(text, height, width, channels, 6, unit, &s->net));
  s->count = count;
  s->weights = draw(&random, s->net.weight_count, 0.3);
  s->inputs = draw(&random, count * sfnec_net_inputs(&s->net), 1.0);
  s->wanted = draw(&random, count * sfnec_net_outputs(&s->net), 1.0);
}

static void close_scene(scene *s) {
  free(s->weights);
  free(s->inputs);
  free(s->wanted);
}

// ---- the specification, in double ----

// One output number before the rectifier.
static double respond(const sfnec_layer *l, const double *weights, const double *in, size_t oy, size_t ox,
                      size_t unit) {
  double sum = weights[l->bias + unit];
  size_t term = 0;
  for (size_t ky = 0; ky < l->kernel; ky++)
    for (size_t kx = 0; kx < l->kernel; kx++)
      for (size_t c = 0; c < l->channels; c++, term++) {
        const long y = (long)(oy * l->stride + ky) - (long)l->padding,
                   x = (long)(ox * l->stride + kx) - (long)l->padding;
        if (y < 0 || x < 0 || y >= (long)l->height || x >= (long)l->width) continue;
        const double pixel = in[((size_t)y * l->width + (size_t)x) * l->channels + c];
        sum += pixel * weights[l->weights + term * l->units + unit];
      }
  return sum;
}

enum { MOST = 4096 };

// The outputs for one input.
static void respond_all(const sfnec_net *net, const double *weights, const float *input, double *out) {
  double in[MOST], next[MOST];
  for (size_t i = 0; i < sfnec_net_inputs(net); i++) in[i] = (double)input[i];
  for (size_t i = 0; i < net->count; i++) {
    const sfnec_layer *l = &net->layers[i];
    assert_true(sfnec_layer_outputs(l) <= MOST);
    for (size_t p = 0; p < l->out_height * l->out_width; p++)
      for (size_t u = 0; u < l->units; u++) {
        const double sum = respond(l, weights, in, p / l->out_width, p % l->out_width, u);
        next[p * l->units + u] = l->rectified && sum < 0.0 ? 0.0 : sum;
      }
    memcpy(in, next, sizeof in);
  }
  double squares = 0.0;
  for (size_t j = 0; j < sfnec_net_outputs(net); j++) squares += in[j] * in[j];
  for (size_t j = 0; j < sfnec_net_outputs(net); j++) out[j] = net->unit ? in[j] / sqrt(squares) : in[j];
}

static double loss(const scene *s, const double *weights) {
  const size_t inputs = sfnec_net_inputs(&s->net), outputs = sfnec_net_outputs(&s->net);
  double sum = 0.0, out[MOST];
  for (size_t i = 0; i < s->count; i++) {
    respond_all(&s->net, weights, s->inputs + i * inputs, out);
    for (size_t j = 0; j < outputs; j++) sum += out[j] * (double)s->wanted[i * outputs + j];
  }
  return sum;
}

// ---- the network ----

static float *run(const scene *s, const sfnec_simd *simd, size_t count, float *outputs) {
  sfnec_net_work *work;
  float *gradient = calloc(s->net.weight_count, sizeof *gradient);
  assert_non_null(gradient);
  OK(sfnec_net_work_create(&s->net, simd, count, true, &work));
  const size_t out = count * sfnec_net_outputs(&s->net);
  memcpy(work->values[0], s->inputs, count * sfnec_net_inputs(&s->net) * sizeof(float));
  sfnec_net_forward(&s->net, s->weights, work, count);
  memcpy(outputs, work->outputs, out * sizeof *outputs);
  memcpy(work->output_gradients, s->wanted, out * sizeof(float));
  sfnec_net_backward(&s->net, s->weights, work, count, gradient);
  sfnec_net_work_destroy(work);
  return gradient;
}

static void compare(const char *text, size_t height, size_t width, size_t channels, bool unit) {
  scene s;
  open_scene(&s, text, height, width, channels, unit, 5);
  const size_t outputs = sfnec_net_outputs(&s.net);
  float *out = calloc(s.count * outputs, sizeof *out);
  double *weights = calloc(s.net.weight_count, sizeof *weights), expected[MOST];
  assert_true(out && weights);
  for (size_t i = 0; i < s.net.weight_count; i++) weights[i] = (double)s.weights[i];
  float *gradient = run(&s, &sfnec_simd_scalar, s.count, out);
  for (size_t i = 0; i < s.count; i++) {
    respond_all(&s.net, weights, s.inputs + i * sfnec_net_inputs(&s.net), expected);
    for (size_t j = 0; j < outputs; j++)
      assert_true(fabs((double)out[i * outputs + j] - expected[j]) <= 1e-4 * (1.0 + fabs(expected[j])));
  }
  // differences in double cross a rectifier's kink next to never
  for (size_t i = 0; i < s.net.weight_count; i += 1 + s.net.weight_count / 400) {
    const double step = 1e-6, kept = weights[i];
    weights[i] = kept + step;
    const double above = loss(&s, weights);
    weights[i] = kept - step;
    const double slope = (above - loss(&s, weights)) / (2.0 * step);
    weights[i] = kept;
    assert_true(fabs((double)gradient[i] - slope) <= 1e-3 * (0.1 + fabs(slope)));
  }
  free(out);
  free(weights);
  free(gradient);
  close_scene(&s);
}

static void gradients(void **state) {
  (void)state;
  compare("dense:7", 1, 1, 5, false);
  compare("dense:7,4", 1, 1, 5, true);
  compare("conv:4x3/1", 5, 4, 2, false);
  compare("conv:4x3/2p1,3x2/1;dense:9", 7, 6, 3, true);
  compare("conv:3x3/1p2", 4, 4, 1, true);
}

static void every_level_and_batch(void **state) {
  (void)state;
  scene s;
  open_scene(&s, "conv:9x4/2p1,17x3/1;dense:33", 14, 13, 3, true, 7);
  const size_t outputs = sfnec_net_outputs(&s.net), bytes = s.net.weight_count * sizeof(float);
  float *out = calloc(s.count * outputs, sizeof *out), *other = calloc(s.count * outputs, sizeof *other);
  assert_true(out && other);
  float *gradient = run(&s, &sfnec_simd_scalar, s.count, out);
  for (size_t l = 1; sfnec_simd_at(l); l++) {
    float *same = run(&s, sfnec_simd_at(l), s.count, other);
    assert_memory_equal(out, other, s.count * outputs * sizeof *out);
    assert_memory_equal(gradient, same, bytes);
    free(same);
  }
  for (size_t count = 1; count < s.count; count++) {
    free(run(&s, &sfnec_simd_scalar, count, other));
    assert_memory_equal(out, other, count * outputs * sizeof *out);
  }
  free(gradient);
  free(out);
  free(other);
  close_scene(&s);
}

// many small pictures: several chunks, whose rows make one chain
static void chunks(void **state) {
  (void)state;
  scene s;
  open_scene(&s, "conv:4x3/1", 10, 10, 2, false, 20);
  float *out = calloc(s.count * sfnec_net_outputs(&s.net), sizeof *out);
  assert_non_null(out);
  float *gradient = run(&s, &sfnec_simd_scalar, s.count, out);
  // the bias of a convolution adds up all positions of all pictures in their order, so its chain can be written out
  const sfnec_layer *l = &s.net.layers[1];
  for (size_t j = 0; j < l->units; j++) {
    float sum = 0.0f;
    for (size_t i = 0; i < s.count; i++) sum += s.wanted[i * l->units + j];
    assert_true(gradient[l->bias + j] == sum);
  }
  free(gradient);
  free(out);
  close_scene(&s);
}

static void no_length(void **state) {
  (void)state;
  scene s;
  open_scene(&s, "dense:3", 1, 1, 4, true, 1);
  memset(s.weights, 0, s.net.weight_count * sizeof *s.weights);
  float out[6];
  float *gradient = run(&s, &sfnec_simd_scalar, 1, out);
  for (size_t j = 0; j < 6; j++) assert_true(out[j] == 0.0f);
  for (size_t i = 0; i < s.net.weight_count; i++) assert_true(isfinite(gradient[i]));
  free(gradient);
  close_scene(&s);
}

static void descriptions(void **state) {
  (void)state;
  sfnec_net net;
  OK(sfnec_net_describe("nature", 84, 84, 4, 64, true, &net));
  assert_int_equal(net.count, 4);
  assert_int_equal(sfnec_layer_outputs(&net.layers[2]), 7 * 7 * 64);
  assert_int_equal(net.weight_count, 256 * 32 + 32 + 512 * 64 + 64 + 576 * 64 + 64 + 3136 * 64 + 64);
  OK(sfnec_net_describe("small", 10, 10, 4, 64, true, &net));
  assert_int_equal(net.layers[1].terms, 8 * 8 * 16);
  assert_true(net.layers[1].rectified && !net.layers[2].rectified);
  OK(sfnec_net_describe("", 1, 1, 4, 64, true, &net));
  assert_true(net.count == 1 && net.weight_count == 5 * 64);
  static const char *const bad[] = {"conv",
                                    "conv:",
                                    "conv:8",
                                    "conv:8x3",
                                    "conv:8x3/",
                                    "conv:8x3/0",
                                    "conv:0x3/1",
                                    "conv:8x99/1",
                                    "conv:8x3/1,",
                                    "conv:8x3/1;",
                                    "conv:8x3/1p3",
                                    "dense:",
                                    "dense:0",
                                    "dense:131073",
                                    "dense:8 ",
                                    "dens:8",
                                    "dense:-1",
                                    "conv:8x3/1;nature",
                                    "dense:1,1,1,1,1,1,1,1",
                                    "dense:65536,65536",
                                    "conv:8x0/1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    REFUSED(sfnec_net_describe(bad[i], 10, 10, 4, 16, false, &net), SFNEC_ERROR_OPTION, bad[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients), cmocka_unit_test(every_level_and_batch), cmocka_unit_test(chunks),
      cmocka_unit_test(no_length), cmocka_unit_test(descriptions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
