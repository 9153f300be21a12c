#!/usr/bin/env bash
# Load paths: functions that take a reader (base/file.h). What they read may be a stranger's, so that
#   - they allocate by the reader's own calls, which compare a claim with the bytes that are left before they ask for
#     memory, and by nothing else but what `allowed` names, with its reason;
#   - their loops over what they read end when the reader has failed, or at the first failed status.
set -euo pipefail
cd "$SFNEC_SOURCE/src"

# FUNCTION CALL: calls that allocate, in functions that have compared sizes with the bytes before
declare -A allowed=(
  ['load_content sfnec_agent_create']='arrays of one observation and one vector of features, whose sizes have bounds'
  ['load_content sfnec_agent_make_room']='after the whole file was read and found good'
  ['load_policy sfnec_policies_reserve']='one element for a task that has its least bytes'
  ['load_policy sfnec_psi_create']='a task that has its least bytes'
  ['load sfnec_ring_reserve']='room for one transition'
  ['sfnec_reward_load allocate']='after sfnec_reader_holds'
  ['load_settled sfnec_reward_copy']='into memory that is there, from a reward that was read'
  ['sfnec_ring_load reserve']='after sfnec_reader_holds'
  ['sfnec_pictures_load reserve']='after sfnec_reader_holds'
  ['load_optimizer sfnec_optimizer_prepare']='after sfnec_reader_holds'
  ['sfnec_basis_load reserve']='after sfnec_reader_holds'
  ['load_sample reserve']='rewards that have their bytes, of a sample that is there'
  ['sfnec_memory_load sfnec_memory_reserve']='after sfnec_reader_holds'
  ['sfnec_evaluations_read reserve']='after sfnec_reader_holds'
  ['read_bins sfnec_bins_reserve']='of one task, at most SFNEC_BINS_MOST'
  ['sfnec_record_read loop']='over the fields of a record, a table of this program; none is left unset'
  ['load_content sfnec_model_reserve']='states, samples and blocks that have their least bytes; the rest is touched as it is read'
  ['sfnec_history_load sfnec_history_reserve']='transitions that have their bytes'
  ['sfnec_refit_load create']='arrays of one observation and one vector of features, whose sizes have bounds'
  ['sfnec_noise_load create']='one struct; what the search will find is in the file'
  ['load_projection sfnec_embedding_create']='after the weights were found to be there'
  ['sfnec_model_load sfnec_model_prepare']='a few keys, of at most an observation or the weights that were read'
  ['sfnec_polynomial_load sfnec_polynomial_init']='after its numbers were found to be there'
  ['sfnec_masks_load prepare']='of the states that were read'
  ['sfnec_masks_load grow']='entry by entry, after all were found to be there'
  ['sfnec_relevance_fit_load sfnec_relevance_fit_alloc']='of one observation, whose relevance was read'
  ['sfnec_filter_fit_load calloc']='one, whose size no file says'
  ['sfnec_transition_log_load grow']='row by row, after all were found to be there'
  ['sfnec_run_read_identity sfnec_run_allocate']='by the options of the caller, not of the file'
)

# FILE:LINE FUNCTION CALL for each call that allocates; "loop" for a loop that does not ask
findings=$(grep -rlE 'sfnec_reader \*' --include='*.c' . | sed 's|^\./||' | grep -v '^base/file\.c$' |
  sort | while read -r file; do
  awk -v file="$file" '
    # a definition: a line that begins in the first column and names a function; it may go on for some lines
    /^[a-z].*\(/ && !/;[[:space:]]*$/ { head = $0; open = 1 }
    open && !/^[a-z].*\(/ { head = head $0 }
    open && /\{[[:space:]]*$/ {
      open = 0
      name = head; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
      loads = head ~ /[( ]sfnec_reader \*[a-z]/ && head !~ /const sfnec_reader \*/
      # who is given a place to put a reader opens it
      if (head ~ /sfnec_reader \*\*/) loads = 0
      loop = 0
      next
    }
    /^}/ { loads = 0 }
    !loads || open { next }
    {
      line = $0; sub(/\/\/.*/, "", line); gsub(/"([^"\\]|\\.)*"/, "", line)
      rest = line
      while (match(rest, /[a-z_0-9]+\(/)) {
        call = substr(rest, RSTART, RLENGTH - 1); rest = substr(rest, RSTART + RLENGTH)
        if (call ~ /^sfnec_read_|^sfnec_reader_/) continue
        if (call ~ /^(malloc|calloc|realloc|strdup|strndup|aligned_alloc|open_memstream)$/ ||
            call ~ /(^|_)(create|reserve|reserve_all|make_room|allocate|alloc|prepare|grow|copy|init)$/)
          print file ":" NR " " name " " call
      }
      # a loop lasts while lines are indented deeper than its head, which may take two lines
      match($0, /^ */); indent = RLENGTH
      if (loop && NR > at && indent <= loop_indent) loop = 0
      if (line ~ /^ *(for|while) \(/) { loop = 1; at = NR; loop_indent = indent; guarded = 0 }
      if (loop && line ~ /!status|sfnec_reader_good\(|&& (good|whole|same)|; (good|whole|same)/) guarded = 1
      if (loop && !guarded && line ~ /sfnec_read_[a-z]|[a-z]_read\(|[a-z]_load\(|(read|load)_[a-z_]+\(/) {
        print file ":" at " " name " loop"
        loop = 0
      }
    }
  ' "$file"
done)

bad=0
declare -A used=()
while read -r place function call; do
  [ -n "$place" ] || continue
  if [ -n "${allowed[$function $call]:-}" ]; then
    used["$function $call"]=1
  elif [ "$call" = loop ]; then
    echo "$place: a loop in $function goes on after its reader has failed: ask sfnec_reader_good in its condition"
    bad=1
  else
    echo "$place: $function allocates by $call: use sfnec_read_array or sfnec_read_room, or name it in tests/package/load_paths.sh"
    bad=1
  fi
done <<<"$findings"
for each in "${!allowed[@]}"; do
  [ -n "${used[$each]:-}" ] || { echo "tests/package/load_paths.sh allows '$each', which is not there"; bad=1; }
done
exit $bad
