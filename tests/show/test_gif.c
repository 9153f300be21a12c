// test_gif.c: what the encoder writes, read back by a decoder of the format's own text.
#include "support/check.h"

#include "sfnec/random.h"
#include "show/play/gif.h"

// ---- a decoder ----

typedef struct reader {
  const unsigned char *at, *end;
} reader;

static int byte(reader *r) {
  assert_true(r->at < r->end);
  return *r->at++;
}

static int word(reader *r) {
  const int low = byte(r);
  return low | byte(r) << 8;
}

// the bytes of all blocks up to the empty one
static size_t join_blocks(reader *r, unsigned char *out) {
  size_t size = 0;
  for (int length; (length = byte(r)) > 0;)
    for (int i = 0; i < length; i++) out[size++] = (unsigned char)byte(r);
  return size;
}

// strings by their prefix and last pixel, as appendix F of GIF89a has them
static size_t decode(const unsigned char *bytes, size_t size, int code_size, uint8_t *out) {
  static uint16_t prefix[4096];
  static uint8_t last[4096], first[4096];
  const int clear = 1 << code_size;
  size_t bit = 0, count = 0;
  int codes = clear + 2, bits = code_size + 1, before = -1;
  for (int i = 0; i < clear; i++) last[i] = first[i] = (uint8_t)i;
  for (;;) {
    int code = 0;
    assert_true(bit + (size_t)bits <= 8 * size);
    for (int i = 0; i < bits; i++, bit++) code |= (bytes[bit / 8] >> bit % 8 & 1) << i;
    if (code == clear + 1) return count;
    if (code == clear) {
      codes = clear + 2;
      bits = code_size + 1;
      before = -1;
      continue;
    }
    assert_true(code < codes || (code == codes && before >= 0));
    if (before >= 0 && codes < 4096) {
      prefix[codes] = (uint16_t)before;
      first[codes] = first[before];
      last[codes] = code < codes ? first[code] : first[before];
      codes++;
      if (codes == 1 << bits && bits < 12) bits++;
    }
    size_t length = 1;
    for (int c = code; c >= clear; c = prefix[c]) length++;
    size_t place = count += length;
    for (int c = code;; c = prefix[c]) {
      out[--place] = last[c];
      if (c < clear) break;
    }
    before = code;
  }
}

typedef struct film {
  int width, height, frames, hundredths;
  uint32_t *pixels; // after all frames so far
} film;

// reads one frame onto the picture; false at the end of the film
static bool next_frame(reader *r, film *film) {
  int kind = byte(r);
  for (; kind == 0x21; kind = byte(r)) {
    unsigned char bytes[1024];
    const int label = byte(r);
    join_blocks(r, bytes);
    if (label == 0xf9) film->hundredths = bytes[1] | bytes[2] << 8;
  }
  if (kind == 0x3b) return false;
  assert_int_equal(kind, 0x2c);
  const int left = word(r), top = word(r), width = word(r), height = word(r);
  assert_true(left + width <= film->width && top + height <= film->height);
  assert_int_equal(byte(r), 0x87);
  uint32_t colours[256];
  for (int i = 0; i < 256; i++) {
    const uint32_t red = (uint32_t)byte(r), green = (uint32_t)byte(r), blue = (uint32_t)byte(r);
    colours[i] = red << 16 | green << 8 | blue;
  }
  const size_t count = (size_t)width * (size_t)height;
  unsigned char *bytes = malloc((size_t)(r->end - r->at));
  uint8_t *numbers = malloc(count + 4096);
  const int code_size = byte(r);
  const size_t size = join_blocks(r, bytes);
  assert_int_equal(decode(bytes, size, code_size, numbers), count);
  for (size_t i = 0; i < count; i++)
    film->pixels[((size_t)top + i / (size_t)width) * (size_t)film->width + (size_t)left + i % (size_t)width] =
        colours[numbers[i]];
  free(bytes);
  free(numbers);
  film->frames++;
  return true;
}

// ---- pictures ----

typedef void (*painter)(uint32_t *pixels, int width, int height, int frame);

static sfnec_random noise;

// 32 levels per channel only, so that no two colours fall together
static void few_colours(uint32_t *pixels, int width, int height, int frame) {
  for (int i = 0; i < width * height; i++) {
    const uint32_t number = (uint32_t)(200 * sfnec_random_uniform(&noise));
    pixels[i] = number * 8 % 256 << 16 | number / 32 * 8 << 8 | (uint32_t)frame * 8;
  }
}

static void one_colour(uint32_t *pixels, int width, int height, int frame) {
  (void)frame;
  for (int i = 0; i < width * height; i++) pixels[i] = 0x102030;
}

// one point that walks over stripes
static void walking_point(uint32_t *pixels, int width, int height, int frame) {
  for (int i = 0; i < width * height; i++) pixels[i] = i % width / 8 % 2 ? 0xffffff : 0x4080c0;
  pixels[(7 * frame + 3) % (width * height)] = 0xd55e00;
}

static void gradient(uint32_t *pixels, int width, int height, int frame) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      pixels[y * width + x] =
          (uint32_t)(x * 255 / width) << 16 | (uint32_t)(y * 255 / height) << 8 | (uint32_t)(frame * 40 % 256);
}

static int difference(uint32_t a, uint32_t b) {
  int most = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const int apart = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
    most = apart > most ? apart : most;
  }
  return most;
}

// writes a film and reads it back: every pixel of every frame is within the tolerance
static size_t round_trip(painter paint, int width, int height, int frames, int tolerance) {
  const size_t count = (size_t)width * (size_t)height;
  uint32_t *pixels = calloc(count * (size_t)frames, sizeof *pixels);
  FILE *file = fopen("film.gif", "wb");
  noise = sfnec_random_start(1, SFNEC_PURPOSE_WORLD);
  sfnec_gif *gif = sfnec_gif_open(file, width, height);
  assert_non_null(gif);
  for (int i = 0; i < frames; i++) {
    paint(pixels + (size_t)i * count, width, height, i);
    assert_true(sfnec_gif_add(gif, pixels + (size_t)i * count, 7 + i));
  }
  sfnec_gif_close(gif);
  assert_int_equal(fclose(file), 0);

  size_t size;
  unsigned char *bytes = file_bytes("film.gif", &size);
  reader r = {bytes, bytes + size};
  assert_memory_equal(bytes, "GIF89a", 6);
  r.at += 6;
  film film = {.width = word(&r), .height = word(&r), .pixels = calloc(count, sizeof *pixels)};
  assert_int_equal(film.width, width);
  assert_int_equal(film.height, height);
  r.at += 3;
  while (next_frame(&r, &film)) {
    assert_int_equal(film.hundredths, 6 + film.frames);
    for (size_t i = 0; i < count; i++)
      if (difference(film.pixels[i], pixels[(size_t)(film.frames - 1) * count + i]) > tolerance)
        fail_msg("frame %d, pixel %zu: %06x became %06x", film.frames, i, pixels[(size_t)(film.frames - 1) * count + i],
                 film.pixels[i]);
  }
  assert_int_equal(film.frames, frames);
  assert_true(r.at == r.end);
  free(film.pixels);
  free(bytes);
  free(pixels);
  return size;
}

static void test_exact(void **state) {
  (void)state;
  round_trip(one_colour, 1, 1, 1, 0);
  round_trip(one_colour, 640, 480, 3, 0);
  round_trip(walking_point, 64, 48, 20, 0);
  // noise fills the table of codes many times over
  round_trip(few_colours, 200, 150, 3, 0);
  // every length near the widening of a code
  for (int width = 1; width < 700; width += 3) round_trip(few_colours, width, 1, 1, 0);
}

static void test_many_colours(void **state) {
  (void)state;
  round_trip(gradient, 256, 256, 3, 16);
}

static void test_small_changes_are_small(void **state) {
  (void)state;
  const size_t one = round_trip(walking_point, 640, 480, 1, 0), ten = round_trip(walking_point, 640, 480, 10, 0);
  assert_true(ten - one < 9 * 1200);
}

// a picture of a few pixels keeps their colours, whichever they are
static void four_colours(uint32_t *pixels, int width, int height, int frame) {
  static const uint32_t colours[] = {0xff0000, 0x00ff00, 0x0000ff, 0x123456};
  for (int i = 0; i < width * height; i++) pixels[i] = colours[(i + frame) % 4];
}

static void test_palette(void **state) {
  (void)state;
  round_trip(four_colours, 5, 1, 2, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_many_colours),
      cmocka_unit_test(test_small_changes_are_small),
      cmocka_unit_test(test_palette),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
