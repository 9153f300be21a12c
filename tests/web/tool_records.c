// tool_records.c: writes web/src/records.ts, the tables of what is recorded as the page knows them.
#include <stdio.h>
#include <string.h>

#include "sfnec/run.h"
#include "study/store/session.h"

static const char *type_of(const sfnec_record_field *field) {
  if (field->type == SFNEC_RECORD_TEXT) return field->optional ? "string | null" : "string";
  if (field->type == SFNEC_RECORD_REAL && field->optional) return "(number | null)";
  return field->type == SFNEC_RECORD_FLAG ? "boolean" : "number";
}

static void print_text(const char *text) {
  putchar('\'');
  for (; *text; text++) printf(strchr("\\'", *text) ? "\\%c" : "%c", *text);
  putchar('\'');
}

static void print_interface(const char *name, const sfnec_record_set *set, const char *about, const char *array) {
  printf("\n// %s\nexport interface %s {\n", about, name);
  for (const sfnec_record_field *field = set->fields; field->name; field++)
    printf("  %s: %s%s; // %s\n", field->name, type_of(field), array, field->help);
  puts("}");
}

static const char *truth(bool value) {
  return value ? "true" : "false";
}

// the columns of a table of tasks
static void print_columns(const sfnec_record_set *set) {
  puts("\n// The columns of a table of tasks, in their order; the average so far comes after the headline.\n"
       "export const taskColumns: { name: keyof TaskNumbers; heading: string; headline: boolean }[] = [");
  for (const sfnec_record_field *field = set->fields; field->name; field++)
    printf("  { name: '%s', heading: '%s', headline: %s },\n", field->name,
           field->heading ? field->heading : field->name, truth(field->headline));
  puts("];");
}

static void print_curves(const sfnec_record_set *set) {
  printf("\n// The numbers that are drawn against tasks; a level is what is there at the task's end.\n"
         "export type Charted =");
  const char *separator = " ";
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    if (!field->title) continue;
    printf("%s'%s'", separator, field->name);
    separator = " | ";
  }
  puts(";\nexport const taskCurves: { key: Charted; title: string; headline: boolean; level: boolean }[] = [");
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    if (!field->title) continue;
    printf("  { key: '%s', title: ", field->name);
    print_text(field->title);
    printf(", headline: %s, level: %s },\n", truth(field->headline), truth(field->level));
  }
  puts("];");
}

static void print_step_curves(const sfnec_record_set *set) {
  printf("\n// The numbers of bins that are drawn against environment steps.\nexport type Stepped =");
  const char *separator = " ";
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    if (!field->title) continue;
    printf("%s'step_%s'", separator, field->name);
    separator = " | ";
  }
  puts(";\nexport const stepCurves: { key: Stepped; title: string }[] = [");
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    if (!field->title) continue;
    printf("  { key: 'step_%s', title: ", field->name);
    print_text(field->title);
    puts(" },");
  }
  puts("];");
}

int main(void) {
  puts("// records.ts: what is recorded, made from the tables of src/run/record.c and src/study/store/session.c by\n"
       "// tests/web/tool_records.c. Do not edit it; tests/web/records.sh says when and how to make it again.");
  print_interface("TaskNumbers", sfnec_task_record_set(), "Of a run: one number per task.", "[]");
  print_interface("Session", sfnec_session_record_set(), "One start of the program.", "");
  print_columns(sfnec_task_record_set());
  print_curves(sfnec_task_record_set());
  print_step_curves(sfnec_bin_record_set());
  return fflush(stdout) != 0;
}
