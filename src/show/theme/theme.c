// theme.c: the tables of the look; see theme.h.
//
// Curves have the colours of Okabe and Ito (2008), which colour-blind readers can distinguish; their yellow is too pale
// for lines on white, so grey stands in. As some of them are the same grey in print, dashes and marks differ as well.
// On a dark ground the same hues are lighter.
#include "show/theme/theme.h"

#include <math.h>
#include <stdlib.h>

#define BLUE                                                                                                           \
  { "#0072B2", "#3D9FE0" }
#define VERMILION                                                                                                      \
  { "#D55E00", "#EE7733" }
#define GREEN                                                                                                          \
  { "#009E73", "#1FBF94" }
#define PURPLE                                                                                                         \
  { "#CC79A7", "#DD94BB" }
#define ORANGE                                                                                                         \
  { "#E69F00", "#F0B429" }
#define SKY                                                                                                            \
  { "#56B4E9", "#8CCDF5" }
#define BLACK                                                                                                          \
  { "#000000", "#E8E8E8" }
#define GREY                                                                                                           \
  { "#7F7F7F", "#9A9A9A" }

enum { SOLID, DASHED, DOTTED, DASH_DOT, LONG };

const uint8_t sfnec_theme_dashes[SFNEC_THEME_DASHES][SFNEC_THEME_DASH_PARTS] = {
    [SOLID] = {0}, [DASHED] = {4, 2}, [DOTTED] = {1, 2}, [DASH_DOT] = {5, 2, 1, 2}, [LONG] = {8, 3}};

const char *const sfnec_theme_mark_names[SFNEC_MARK_COUNT] = {"circle", "square",   "triangle",
                                                              "upside", "pentagon", "diamond"};

const sfnec_theme_style sfnec_theme_styles[SFNEC_THEME_STYLES] = {
    {BLUE, SOLID, SFNEC_MARK_CIRCLE, false},       {VERMILION, DASHED, SFNEC_MARK_SQUARE, false},
    {GREEN, DASH_DOT, SFNEC_MARK_TRIANGLE, false}, {PURPLE, DOTTED, SFNEC_MARK_UPSIDE, false},
    {ORANGE, LONG, SFNEC_MARK_PENTAGON, false},    {SKY, SOLID, SFNEC_MARK_CIRCLE, true},
    {BLACK, DASHED, SFNEC_MARK_SQUARE, true},      {GREY, SOLID, SFNEC_MARK_TRIANGLE, true},
    {BLUE, DOTTED, SFNEC_MARK_SQUARE, true},       {VERMILION, SOLID, SFNEC_MARK_CIRCLE, true},
    {GREEN, DASHED, SFNEC_MARK_UPSIDE, true},      {PURPLE, SOLID, SFNEC_MARK_TRIANGLE, true},
    {ORANGE, DOTTED, SFNEC_MARK_CIRCLE, true},     {SKY, DASH_DOT, SFNEC_MARK_PENTAGON, true},
    {BLACK, LONG, SFNEC_MARK_TRIANGLE, false},     {GREY, DASH_DOT, SFNEC_MARK_SQUARE, false},
};

const sfnec_theme_entry sfnec_theme_roles[SFNEC_ROLE_COUNT] = {
    [SFNEC_ROLE_BACK] = {"back", "the ground of pages and pictures", {"#FFFFFF", "#14171B"}},
    [SFNEC_ROLE_PANEL] = {"panel", "the ground of a part of it", {"#F6F7F9", "#1D2126"}},
    [SFNEC_ROLE_TEXT] = {"text", "words and axes", {"#1C2127", "#E7EAEE"}},
    [SFNEC_ROLE_SOFT] = {"soft", "words that step back", {"#55606C", "#A5AFBA"}},
    [SFNEC_ROLE_RULE] = {"rule", "borders", {"#D7DCE2", "#3A424B"}},
    [SFNEC_ROLE_GRID] = {"grid", "lines of a grid", {"#E3E6EA", "#2A3037"}},
    [SFNEC_ROLE_ACCENT] = {"accent", "what can be touched", {"#005A9C", "#6CB6F5"}},
    [SFNEC_ROLE_CALM] = {"calm", "bars that are not chosen", {"#8C9EB3", "#7389A3"}},
    [SFNEC_ROLE_GOOD] = {"good", "agrees", {"#00694C", "#5FD6AE"}},
    [SFNEC_ROLE_NEAR] = {"near", "nearly agrees, and warnings", {"#7A4B00", "#F2C063"}},
    [SFNEC_ROLE_OFF] = {"off", "disagrees", {"#A03C00", "#F59A6B"}},
    [SFNEC_ROLE_GOOD_BACK] = {"good-back", "the ground of that word", {"#DFF3EC", "#12372C"}},
    [SFNEC_ROLE_NEAR_BACK] = {"near-back", "the ground of that word", {"#FFF1D6", "#3D2F10"}},
    [SFNEC_ROLE_OFF_BACK] = {"off-back", "the ground of that word", {"#FDE6DA", "#43220F"}},
    [SFNEC_ROLE_OPTIMUM] = {"optimum", "the line of the most that can be earned", {"#555555", "#B4B4B4"}},
    [SFNEC_ROLE_ROOM] = {"room", "the ground of a world without values", {"#EEF0F3", "#8A929B"}},
    [SFNEC_ROLE_WALL] = {"wall", "walls", {"#2B3139", "#0B0D0F"}},
    [SFNEC_ROLE_AGENT] = {"agent", "the agent, its choice, the way that it plans", {"#D55E00", "#EE7733"}},
    [SFNEC_ROLE_GOAL] = {"goal", "the goal", {"#009E73", "#1FBF94"}},
    [SFNEC_ROLE_TRAIL] = {"trail", "the way so far, inside of its outline", {"#FFFFFF", "#FFFFFF"}},
    [SFNEC_ROLE_OUTLINE] = {"outline", "around things, so that they stand out from any ground", {"#1C2127", "#0B0D0F"}},
    [SFNEC_ROLE_MEMORY] = {"memory", "remembered positions, and states of a model", {"#1C2127", "#0B0D0F"}},
};

const sfnec_theme_object sfnec_theme_objects[SFNEC_THEME_GLYPHS] = {
    [SFNEC_LOOK_CIRCLE] = {"circle", ORANGE, "●", "o", ";33"},
    [SFNEC_LOOK_SQUARE] = {"square", SKY, "■", "s", ";36"},
    [SFNEC_LOOK_TRIANGLE] = {"triangle", PURPLE, "▲", "t", ";35"},
    [SFNEC_LOOK_CROSS] = {"cross", {"#4D4D4D", "#B0B0B0"}, "✖", "x", ";31"},
    [SFNEC_LOOK_STAR] = {"star", {"#F0E442", "#F0E442"}, "★", "*", ";32"},
};

// viridis, more than a third of the way to white: walls, outlines and dots are seen on every value
const char *const sfnec_theme_ramp[SFNEC_THEME_STOPS] = {"#8B6295", "#898BB5", "#7BABB9",
                                                         "#76C9B3", "#ADE293", "#FEF078"};

const char sfnec_theme_font_print[] = "Helvetica";
const char sfnec_theme_font_screen[] = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

void sfnec_theme_rgb(const char *colour, double rgb[3]) {
  const unsigned long bits = strtoul(colour + 1, NULL, 16);
  for (int i = 0; i < 3; i++) rgb[i] = (double)(bits >> (16 - 8 * i) & 0xff) / 255;
}

void sfnec_theme_value(double share, double rgb[3]) {
  const double at = fmin(fmax(share, 0), 1) * (SFNEC_THEME_STOPS - 1);
  const int below = at >= SFNEC_THEME_STOPS - 1 ? SFNEC_THEME_STOPS - 2 : (int)at;
  double high[3];
  sfnec_theme_rgb(sfnec_theme_ramp[below], rgb);
  sfnec_theme_rgb(sfnec_theme_ramp[below + 1], high);
  for (int i = 0; i < 3; i++) rgb[i] += (at - below) * (high[i] - rgb[i]);
}

// a cube of six levels per colour from 16 on, and 24 greys from 232 on
int sfnec_theme_xterm(const double rgb[3]) {
  static const double levels[6] = {0, 95.0 / 255, 135.0 / 255, 175.0 / 255, 215.0 / 255, 1};
  int index = 16;
  double far = 0, grey = 0;
  for (int i = 0; i < 3; i++) {
    int best = 0;
    for (int k = 1; k < 6; k++)
      if (fabs(levels[k] - rgb[i]) < fabs(levels[best] - rgb[i])) best = k;
    index += best * (i == 0 ? 36 : i == 1 ? 6 : 1);
    far += (levels[best] - rgb[i]) * (levels[best] - rgb[i]);
    grey += rgb[i] / 3;
  }
  const int step = (int)fmin(fmax(floor((grey * 255 - 8) / 10 + 0.5), 0), 23);
  double off = 0;
  for (int i = 0; i < 3; i++) off += (rgb[i] - (8 + 10 * step) / 255.0) * (rgb[i] - (8 + 10 * step) / 255.0);
  return off < far ? 232 + step : index;
}
