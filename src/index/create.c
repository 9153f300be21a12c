// create.c: from the name of a kind of index to an index.
#include "base/error.h"
#include "index/index.h"
#include "sfnec/agent.h"

sfnec_status sfnec_index_create(int kind, const sfnec_simd *kernel, size_t key_size, sfnec_index **out) {
  switch (kind) {
  case SFNEC_INDEX_FLAT:
    return sfnec_index_flat_create(kernel, key_size, out);
  case SFNEC_INDEX_FAST:
    return sfnec_index_fast_create(kernel, key_size, out);
  default:
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "there is no index of kind %d", kind);
  }
}
