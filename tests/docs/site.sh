#!/usr/bin/env bash
# The documentation site, from the tree: it has no dead link, and every public name of C and of Python is on it. CITATION.cff
# is valid. (The test web/site opens the site in a browser.)
set -euo pipefail
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

skip() {
  echo "skipped: $1"
  exit 77
}
[ -x "${SFNEC_DOCS_PYTHON:-}" ] || skip "SFNEC_DOCS_PYTHON is not set"
grep -q '^SFNEC_SANITIZE:[A-Z]*=..*' "$SFNEC_BUILD/CMakeCache.txt" && skip "this is a build with sanitizers"
command -v npm >/dev/null || skip "no npm"
command -v mandoc >/dev/null || skip "no mandoc"

bash "$SFNEC_SOURCE/docs/site/build.sh" out "$SFNEC_DOCS_PYTHON"

# $1: a page or several, $2: what is looked for, stdin: the names that must have an anchor there
all_there() {
  local pages=$1 missing=0 count=0
  while read -r name; do
    count=$((count + 1))
    # shellcheck disable=SC2086 # a pattern
    grep -q "id=\"$name\"" $pages || { echo "$2 $name is not on the site"; missing=1; }
  done
  [ "$count" -gt 10 ] || { echo "only $count names of $2 were found"; missing=1; }
  echo "$count names of $2"
  return $missing
}
nm -D --defined-only "$SFNEC_BUILD/libsfnec.so" | awk '{ print $3 }' | all_there "out/site/reference/c/*.html" "the C function"
sed -n '/^__all__ = \[/,/^\]/s/^ *"\(.*\)",$/sfnec.\1/p' "$SFNEC_SOURCE/python/sfnec/__init__.py" |
  all_there "out/site/reference/python/*.html" "Python's"
# inherited, a property, a field that is told by its comment
for name in sfnec.Agent.learn sfnec.Agent.begin_task sfnec.Agent.bytes sfnec.Task.chosen sfnec.callbacks.Evaluate; do
  grep -q "id=\"$name\"" out/site/reference/python/*.html || { echo "$name is not on the site"; exit 1; }
done
grep -q 'Transitions for which GPI chose this task' out/site/reference/python/agent.html
# a subcommand of the manual, and what the site says without films and playground
grep -q 'id="new-env"' out/site/reference/command.html
grep -q 'film.*rooms.agent' out/site/gallery.html
! grep -q 'app/playground.html' out/site/playground.html
# formulas without a script, a figure for each theme, a function with its line, options, a page for each agent and environment
grep -q '<math .*<mi>ψ</mi>' out/site/concepts/gpi.html
! grep -q '[$]`' out/site/concepts/gpi.html
grep -q 'figures/main-average-dark.svg' out/site/index.html
grep -q '#E7EAEE' out/site/figures/main-average-dark.svg
line=$(grep -n '^static sfnec_status learn_batch(' "$SFNEC_SOURCE/src/agent/policy_learner.c" | cut -d: -f1)
grep -q "src/agent/policy_learner.c:$line<" out/site/agents/sfnec-authors.html
grep -q '<code>neighbours</code>' out/site/reference/options.html
"$SFNEC" list agents | sed -n 's/^\([a-z][a-z-]*\)  .*/\1/p' | while read -r name; do test -e "out/site/agents/$name.html" || { echo "no page of $name"; exit 1; }; done
"$SFNEC" list envs | sed -n 's/^\([a-z][a-z_]*\)  .*/\1/p' | while read -r name; do test -e "out/site/environments/$name.html" || { echo "no page of $name"; exit 1; }; done

echo "== a dead link is found"
cp -r out/site broken
sed -i 's/href="playground.html"/href="playgrond.html"/' broken/index.html
sed -i '0,/<img /s//<img src="https:\/\/example.org\/x.png"><img /' broken/results.html
sed -i '0,/href="#/s//href="#nowhere/' broken/store.html
if "$SFNEC_DOCS_PYTHON" "$SFNEC_SOURCE/docs/site/check.py" broken 2>said; then
  echo "broken links were not found"
  exit 1
fi
for page in index.html results.html store.html; do
  grep -q "^$page: " said || { echo "the broken link of $page was not found"; cat said; exit 1; }
done

echo "== CITATION.cff"
cp "$SFNEC_SOURCE/CITATION.cff" .
"$(dirname "$SFNEC_DOCS_PYTHON")/cffconvert" --validate
