// tool_theme.c: writes the theme as the others read it: `tool_theme ts` web/src/palette.ts, `css` web/src/palette.css,
// `python` python/sfnec/_theme.py.
#include <stdio.h>
#include <string.h>

#include "show/theme/agents.h"
#include "show/theme/theme.h"

static const char note[] = "made from src/show/theme/theme.c by tests/show/tool_theme.c. Do not edit it";
static const char how[] = "tests/show/one_theme.sh says when and how to make it again.";

// ---- the page ----

static void print_ts_style(const sfnec_theme_style *style) {
  printf("  { light: '%s', dark: '%s', dash: [", style->colour.light, style->colour.dark);
  const uint8_t *dash = sfnec_theme_dashes[style->dash];
  for (size_t k = 0; k < SFNEC_THEME_DASH_PARTS && dash[k]; k++) printf("%s%u", k ? ", " : "", dash[k]);
  printf("], mark: '%s', open: %s },\n", sfnec_theme_mark_names[style->mark], style->open ? "true" : "false");
}

static void print_ts(void) {
  printf("// palette.ts: the look of what is drawn, %s;\n// %s\n", note, how);
  puts("\n// How the curve of each configuration looks; dashes are in widths of the line.\n"
       "export type Mark = 'circle' | 'square' | 'triangle' | 'upside' | 'pentagon' | 'diamond';\n"
       "export const styles: { light: string; dark: string; dash: number[]; mark: Mark; open: boolean }[] = [");
  for (size_t i = 0; i < SFNEC_THEME_STYLES; i++) print_ts_style(&sfnec_theme_styles[i]);
  puts("];\n\n// The style of each preset, a number of that list.\nexport const agentStyles = {");
  for (size_t i = 0; i < SFNEC_THEME_AGENTS; i++)
    printf("  '%s': %u,\n", sfnec_theme_agents[i].preset, sfnec_theme_agents[i].style);
  puts("};\n\n// The objects of worlds, by their shape.\n"
       "export const objects: Record<string, { light: string; dark: string }> = {");
  for (size_t i = 0; i < SFNEC_THEME_GLYPHS; i++)
    printf("  %s: { light: '%s', dark: '%s' },\n", sfnec_theme_objects[i].name, sfnec_theme_objects[i].colour.light,
           sfnec_theme_objects[i].colour.dark);
  printf("};\n\n// Values from low to high.\nexport const stops = [");
  for (size_t i = 0; i < SFNEC_THEME_STOPS; i++) printf("%s'%s'", i ? ", " : "", sfnec_theme_ramp[i]);
  printf("];\n\nexport const font = \"%s\";\n", sfnec_theme_font_screen);
}

static void print_variables(bool dark) {
  for (size_t i = 0; i < SFNEC_ROLE_COUNT; i++) {
    const sfnec_theme_entry *role = &sfnec_theme_roles[i];
    printf("  --%s: %s;\n", role->name, dark ? role->colour.dark : role->colour.light);
  }
  printf("  color-scheme: %s;\n", dark ? "dark" : "light");
}

static void print_css(void) {
  printf("/* palette.css: colours of roles, %s; %s */\n:root {\n  --font: %s;\n", note, how, sfnec_theme_font_screen);
  print_variables(false);
  puts("}\n@media (prefers-color-scheme: dark) { :root:not([data-theme='light']) {");
  print_variables(true);
  puts("} }\n:root[data-theme='dark'] {");
  print_variables(true);
  puts("}");
}

// ---- Python ----

static void print_rgb(const char *name, const char *colour) {
  double rgb[3];
  sfnec_theme_rgb(colour, rgb);
  printf("    \"%s\": (%.0f, %.0f, %.0f),\n", name, 255 * rgb[0], 255 * rgb[1], 255 * rgb[2]);
}

static void print_python_style(const sfnec_theme_style *style) {
  const uint8_t *dash = sfnec_theme_dashes[style->dash];
  printf("    (\"%s\", (", style->colour.light);
  for (size_t k = 0; k < SFNEC_THEME_DASH_PARTS && dash[k]; k++) printf("%s%u", k ? ", " : "", dash[k]);
  printf("), \"%s\", %s),\n", sfnec_theme_mark_names[style->mark], style->open ? "True" : "False");
}

static void print_python(void) {
  printf("\"\"\"The look of pictures and plots, %s;\n%s\n\"\"\"\n", note, how);
  puts("\nfrom __future__ import annotations\n\n"
       "# of the curve of each configuration: colour, dashes in widths of the line, mark, and whether that is open\n"
       "STYLES: list[tuple[str, tuple[int, ...], str, bool]] = [");
  for (size_t i = 0; i < SFNEC_THEME_STYLES; i++) print_python_style(&sfnec_theme_styles[i]);
  puts("]\n\n# the style of each preset, a number of that list\nAGENTS: dict[str, int] = {");
  for (size_t i = 0; i < SFNEC_THEME_AGENTS; i++)
    printf("    \"%s\": %u,\n", sfnec_theme_agents[i].preset, sfnec_theme_agents[i].style);
  printf("}\n# styles from this one on belong to no preset\nFREE = %d\n", SFNEC_THEME_FREE);
  puts("\n# red, green and blue of roles\nROLES: dict[str, tuple[int, int, int]] = {");
  for (size_t i = 0; i < SFNEC_ROLE_COUNT; i++) print_rgb(sfnec_theme_roles[i].name, sfnec_theme_roles[i].colour.light);
  puts("}\n\n# and of objects, by their shape, in the order of SFNEC_LOOK_CIRCLE and so on\n"
       "OBJECTS: dict[str, tuple[int, int, int]] = {");
  for (size_t i = 0; i < SFNEC_THEME_GLYPHS; i++)
    print_rgb(sfnec_theme_objects[i].name, sfnec_theme_objects[i].colour.light);
  puts("}");
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "ts") == 0) print_ts();
  else if (strcmp(what, "css") == 0) print_css();
  else if (strcmp(what, "python") == 0) print_python();
  else return 2;
  return fflush(stdout) != 0;
}
