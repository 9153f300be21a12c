// create.c: from the name of a kind of index to an index.
#include "base/error.h"
#include "index/index.h"

sfnec_status sfnec_index_create(int kind, const sfnec_simd *simd, size_t key_size, sfnec_index **out) {
  switch (kind) {
  case SFNEC_INDEX_KIND_FLAT:
    return sfnec_index_flat_create(simd, key_size, out);
  case SFNEC_INDEX_KIND_FAST:
    return sfnec_index_fast_create(simd, key_size, out);
  default:
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "there is no index of kind %d", kind);
  }
}
