#!/usr/bin/env bash
# completion.sh: what `completion` prints is a script of its shell, and completes commands, options and names.
source "$(dirname "$0")/lib/cli.bash"

works "for bash" completion bash
cp out bash.sh
check "it is bash" bash -n bash.sh

# completes WORDS...: what bash offers for the last word
completes() {
  (
    source ./bash.sh
    compopt() { :; } # belongs to a shell that completes
    COMP_WORDS=(sfnec "$@")
    COMP_CWORD=$#
    _sfnec
    printf '%s\n' "${COMPREPLY[@]}"
  )
}
check "commands" test "$(completes comp | sort | xargs)" = "compare completion"
check "options" test "$(completes stats folder --aga)" = --against
check "of the command alone" test -z "$(completes list --aga)"
check "agents" test "$(completes train --agent sfnec-n)" = sfnec-nogpi
check "worlds" test "$(completes compare --env cart)" = cartpole
check "keys" test "$(completes train --set neigh)" = neighbours=
check "of worlds too" test "$(completes train --set door)" = door_width=
check "operands" test "$(completes list ag)" = agents
check "files are left to the shell" test -z "$(completes run spec)"
for command in $("$SFNEC" --help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
  check "completes the command $command" grep -qx "$command" <(completes "")
done

works "for zsh" completion zsh
cp out _sfnec
check "zsh knows whose it is" test "$(head -1 _sfnec)" = '#compdef sfnec'
if command -v zsh >/dev/null; then check "it is zsh" zsh -n _sfnec; fi

works "for fish" completion fish
cp out sfnec.fish
if command -v fish >/dev/null; then
  check "it is fish" fish --no-execute sfnec.fish
  check "fish completes options" test "$(fish -c 'source sfnec.fish; complete -C "sfnec stats d --aga"' | cut -f1)" = --against
fi

refuses 2 "say bash, zsh or fish" completion tcsh
finish
