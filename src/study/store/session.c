// session.c: the record of a session, and facts about the machine; see session.h.
#include "study/store/session.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/statfs.h>
#endif

#include "simd/simd.h"

// ---- the table ----

#define SESSION(field) .name = #field, .offset = offsetof(sfnec_session, field)
#define TEXT SFNEC_RECORD_TEXT
#define COUNT SFNEC_RECORD_INT, .least = 1

static const sfnec_record_field fields[] = {
    {SESSION(version), .type = TEXT, .help = "of the program"},
    {SESSION(host), .type = TEXT, .help = "name of the machine"},
    {SESSION(machine), .type = TEXT, .help = "its processor"},
    {SESSION(cores), .type = COUNT, .unit = "cores", .help = "that it has"},
    {SESSION(system), .type = TEXT, .help = "operating system"},
    {SESSION(simd), .type = TEXT, .help = "instruction-set level in use"},
    {SESSION(workers), .type = COUNT, .unit = "workers", .help = "jobs at the same time, of all ranks"},
    {SESSION(ranks), .type = COUNT, .unit = "ranks", .help = "processes"},
    {SESSION(command), .type = TEXT, .optional = true, .help = "command line that goes on with the study"},
    {SESSION(started), .type = TEXT, .help = "when, in UTC"},
    {SESSION(ended), .type = TEXT, .optional = true, .help = "when; missing while it runs and if it was killed"},
    {SESSION(how), .type = TEXT, .optional = true, .help = "how it ended: done, interrupted, failed or killed"},
    {0},
};

const sfnec_record_set *sfnec_session_record_set(void) {
  static const sfnec_record_set set = {"session", fields, 0};
  return &set;
}

// ---- the machine ----

// the processor's name on Linux, or NULL; on other systems uname gives the architecture
static const char *find_model(sfnec_arena *arena) {
  FILE *stream = fopen("/proc/cpuinfo", "re");
  const char *model = NULL;
  char line[512];
  while (stream && !model && fgets(line, sizeof line, stream)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    colon += 1 + strspn(colon + 1, " \t");
    model = sfnec_arena_print(arena, "%.*s", (int)strcspn(colon, "\n"), colon);
  }
  if (stream) fclose(stream);
  return model;
}

static const char *known(const char *text) {
  return text ? text : "unknown";
}

void sfnec_session_describe(sfnec_session *session, sfnec_arena *arena) {
  struct utsname names;
  const bool named = uname(&names) >= 0;
  const char *model = find_model(arena);
  const sfnec_simd *kernel;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  session->version = sfnec_version();
  session->host = known(named ? sfnec_arena_copy(arena, names.nodename) : NULL);
  session->machine = known(model || !named ? model : sfnec_arena_copy(arena, names.machine));
  session->cores = cores > 0 ? cores : 1;
  session->system =
      known(named ? sfnec_arena_print(arena, "%s %s %s", names.sysname, names.release, names.machine) : NULL);
  session->simd = known(sfnec_simd_select(&kernel) ? NULL : kernel->name);
}

void sfnec_machine_time(char text[SFNEC_TIME_TEXT]) {
  const time_t now = time(NULL);
  struct tm parts;
  if (!gmtime_r(&now, &parts) || !strftime(text, SFNEC_TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts))
    strcpy(text, "1970-01-01T00:00:00Z");
}

bool sfnec_machine_shares(const char *folder) {
#ifdef __linux__
  // numbers of statfs(2): NFS, SMB, CIFS, SMB2, Lustre, GPFS, BeeGFS, Ceph, AFS, Coda, OCFS2, GFS2, 9p, FUSE
  static const unsigned long shared[] = {0x6969,     0x517b,     0xff534d42, 0xfe534d42, 0x0bd00bd0,
                                         0x47504653, 0x19830326, 0x00c36400, 0x5346414f, 0x73757245,
                                         0x7461636f, 0x01161970, 0x01021997, 0x65735546};
  struct statfs facts;
  if (statfs(folder, &facts) != 0) return false;
  const unsigned long kind = (unsigned long)facts.f_type & 0xffffffffUL;
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
    if (shared[i] == kind) return true;
#else
  (void)folder;
#endif
  return false;
}
