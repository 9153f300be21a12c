#!/usr/bin/env bash
# slurm.sh: batch scripts: what they ask of Slurm, that odd names reach sfnec run unchanged, and that they are good shell.
source "$(dirname "$0")/lib/cli.bash"

specs=$SFNEC_SOURCE/experiments

# Slurm and sfnec as far as a script sees them: srun runs its command, sfnec writes down its words
mkdir bin
cat >bin/srun <<'END'
#!/bin/bash
while [[ $1 == --* ]]; do shift; done
exec "$@"
END
cat >bin/sfnec <<'END'
#!/bin/bash
printf '<%s>\n' "$@" >words
END
chmod +x bin/srun bin/sfnec

# clean FILE: it parses, and shellcheck (where there is one) finds nothing
clean() {
  bash -n "$1" || return 1
  if command -v shellcheck >/dev/null; then shellcheck "$1"; fi
}

# gives DESCRIPTION WORD...: the script in out calls sfnec with exactly these words
gives() {
  local description=$1 result=0
  shift
  rm -f words
  PATH=$PWD/bin:$PATH SFNEC=sfnec timeout 20 bash out || result=1
  printf '<%s>\n' "$@" | cmp -s - words || result=1
  [ "$result" -eq 0 ] || sed 's/^/  word: /' words
  count "$result" "$description"
}

# MPI
works "a script for MPI" slurm "$specs/main.yaml"
check "is clean" clean out
check "runs by bash" grep -qx '#!/bin/bash' out
check "has the spec's name" grep -qx '#SBATCH --job-name=main' out
check "is told before the limit" grep -qx '#SBATCH --signal=TERM@60' out
check "has a time limit" grep -qx '#SBATCH --time=24:00:00' out
check "runs on one node" grep -qx '#SBATCH --nodes=1' out
check "has at most 32 ranks" grep -qx '#SBATCH --ntasks-per-node=32' out
check "says how to resume" grep -q 'submit the same script again' out
check "every request comes before the first command" \
  bash -c '! sed "1,/^[^#]/d" out | grep -q "^#SBATCH"'
gives "one experiment" run "$specs/main.yaml" -o runs/main
check "in a folder that is there" test -d runs/main
# a cluster that names no MPI
printf '#!/bin/bash\necho "MpiDefault              = ${1:+none}"\n' >bin/scontrol
printf '#!/bin/bash\n[ "$*" != --mpi=list ] || { echo "	pmix" >&2; exit; }\nexport >vars\nexec "$@"\n' >bin/srun
chmod +x bin/scontrol
gives "and where no MPI is named" run "$specs/main.yaml" -o runs/main
check "it is that of Open MPI" grep -q 'SLURM_MPI_TYPE="pmix"' vars
SLURM_MPI_TYPE=pmi2 gives "one that is named" run "$specs/main.yaml" -o runs/main
check "stays" grep -q 'SLURM_MPI_TYPE="pmi2"' vars
printf '#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n' >bin/srun

works "its options" slurm "$specs/main.yaml" --mpi --nodes 4 --tasks-per-node 48 --time 2-12:00:00 --partition a100,big
for line in --nodes=4 --ntasks-per-node=48 --time=2-12:00:00 --partition=a100,big; do
  check "has $line" grep -qx "#SBATCH $line" out
done

works "few jobs need few ranks" slurm "$specs/main.yaml" -- --quick
check "ten and one that hands out" grep -qx '#SBATCH --ntasks-per-node=11' out
gives "quick has its own folder" run "$specs/main.yaml" --quick -o runs/main-quick

# arrays
works "an array" slurm "$specs/main.yaml" --array
check "is clean" clean out
check "one task per seed" grep -qx '#SBATCH --array=1-10' out
check "a core per configuration" grep -qx '#SBATCH --cpus-per-task=5' out
export SLURM_ARRAY_TASK_ID=7 SLURM_CPUS_PER_TASK=4
gives "each task has its seed and folder" run "$specs/main.yaml" --jobs 4 --seeds 7 -o runs/main/seed-7
check "which is there" test -d runs/main/seed-7

works "other seeds and folders" slurm "$specs/main.yaml" --array -- --seeds 3,7-8 -o 'my runs'
check "are the array's" grep -qx '#SBATCH --array=3,7-8' out
gives "the last words count" run "$specs/main.yaml" --jobs 4 --seeds 3,7-8 -o 'my runs' --seeds 7 -o 'my runs/seed-7'

works "seeds that are no index" slurm "$specs/main.yaml" --array -- --seeds 1-2,18446744073709551615
check "are counted" grep -qx '#SBATCH --array=0-2' out
check "is clean" clean out
SLURM_ARRAY_TASK_ID=2
gives "and looked up" run "$specs/main.yaml" --jobs 4 --seeds 1-2,18446744073709551615 \
  --seeds 18446744073709551615 -o runs/main/seed-18446744073709551615
unset SLURM_ARRAY_TASK_ID
PATH=$PWD/bin:$PATH SFNEC=sfnec timeout 20 bash out 2>err || true
check "outside of Slurm it says what to do" grep -q 'submit this script with sbatch' err

# names that a shell would take apart
odd=$'it\'s "a" $HOME `x` #;&|*\\ \n name.yaml'
cp "$specs/capacity.yaml" "$odd"
works "an odd name" slurm "$odd" -- --set 'capacity=1000' -o $'a \'b\'\n#c'
check "is clean" clean out
gives "arrives unchanged" run "$odd" --set capacity=1000 -o $'a \'b\'\n#c'
works "and in an array" slurm "$odd" --array -- -o $'a \'b\'\n#c'
export SLURM_ARRAY_TASK_ID=1
gives "arrives unchanged" run "$odd" --jobs 4 -o $'a \'b\'\n#c' --seeds 1 -o $'a \'b\'\n#c/seed-1'

# what is refused
refuses 2 'not both' slurm "$specs/main.yaml" --mpi --array
refuses 2 'one node' slurm "$specs/main.yaml" --array --nodes 2
for time in '' x 1: :1 1:2:3:4 1--2 1:2-3 '1 2' $'1\n2'; do
  refuses 2 'must be like' slurm "$specs/main.yaml" --time="$time"
done
refuses 2 'as sinfo shows it' slurm "$specs/main.yaml" --partition $'a\nrm'
refuses 2 'as sinfo shows it' slurm "$specs/main.yaml" --partition 'a b'
refuses 2 'must be a whole number' slurm "$specs/main.yaml" --nodes 0
refuses 2 'come after --' slurm "$specs/main.yaml" other.yaml
refuses 2 "'other.yaml'" slurm "$specs/main.yaml" -- --quick other.yaml
refuses 2 "did you mean '--quick'" slurm "$specs/main.yaml" -- --quik
refuses 2 'start again after every time limit' slurm "$specs/main.yaml" -- --force-new
refuses 2 'use --mpi' slurm "$specs/main.yaml" --array -- --seeds 1-1002
refuses 2 'key=value' slurm "$specs/main.yaml" -- --set x
refuses 2 'runs backwards' slurm "$specs/main.yaml" -- --seeds 3-1
refuses 2 'needs SPEC' slurm
refuses 1 'no such file' slurm missing.yaml
printf 'name: a\nenv: four_rooms\nagents: [sfnek]\n' >bad.yaml
refuses 1 "bad.yaml:3: agents: .*did you mean 'sfnec'" slurm bad.yaml
check "without a script" test ! -s out
works "help of sfnec run" slurm "$specs/main.yaml" -- --help
finish
