// mpi_absent.c: what a program that was built without MPI says to it; see mpi.h.
#include "base/error.h"
#include "study/work/mpi.h"

#ifndef SFNEC_HAVE_MPI

static sfnec_status absent(void) {
  return sfnec_fail(SFNEC_ERROR_STATE, "this sfnec was built without MPI; install Open MPI and build it again");
}

bool sfnec_mpi_launched(void) {
  return false;
}

bool sfnec_mpi_built(void) {
  return false;
}

sfnec_status sfnec_mpi_begin(uint32_t *rank, uint32_t *ranks) {
  *rank = 0;
  *ranks = 1;
  return absent();
}

void sfnec_mpi_end(void) {}

char *sfnec_mpi_share(const char *text) {
  (void)text;
  return NULL;
}

sfnec_status sfnec_mpi_crew_create(sfnec_crew *pool, sfnec_crew **out) {
  (void)pool;
  (void)out;
  return absent();
}

sfnec_status sfnec_mpi_serve(sfnec_crew *pool, bool (*stop)(void *context), void *context) {
  (void)pool;
  (void)stop;
  (void)context;
  return absent();
}

#else

// not an empty file
typedef int sfnec_mpi_is_built_in;

#endif
