#!/usr/bin/env bash
# sfnec plot: figures of experiments whose numbers are planted: pictures, scripts, data, and what is refused.
source "$(dirname "$0")/lib/cli.bash"

command -v sqlite3 >/dev/null || { echo "no sqlite3 to plant numbers with: skipped"; exit 77; }
command -v gnuplot >/dev/null || { echo "no gnuplot: skipped"; exit 77; }
command -v python3 >/dev/null || { echo "no python3 to read SVG with: skipped"; exit 77; }

# texts FILE: the texts of an SVG, one per line; fails if it is not well-formed
cat >texts.py <<'PYTHON'
import sys, xml.etree.ElementTree as tree
for text in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text"):
    print("".join(text.itertext()))
PYTHON
texts() { python3 "$folder/texts.py" "$1"; }
has_text() { grep -qxF -e "$2" <<<"$(texts "$1")"; }
sql() { sqlite3 "$1/experiment.db" "PRAGMA foreign_keys = OFF; $2"; }

# ---- agents over tasks ----
cat >study.yaml <<'SPEC'
name: study
title: "It's 100 % \"quoted\" \\ {odd}_title"
env: four_rooms
tasks: 3
steps: 20
seeds: 1-3
agents:
  - sfnec
  - {label: "nec_o'dd {x}", preset: nec}
  - sfql
published:
  - {agent: sfnec, task: 3, mean: 123, se: 4, source: thesis}
  - {agent: sfql, task: 1, mean: 40, source: thesis}
SPEC
run run study.yaml --out study --quiet
check "the study runs" [ "$code" -eq 0 ]
# returns of sfnec: 100 times seed and task, of the others 10 times
sql study "UPDATE task SET seconds = 0.002 * task, optimum = 500.0 * task, total =
  (SELECT CASE name WHEN 'sfnec' THEN 100.0 ELSE 10.0 END * seed * task.task
     FROM job JOIN configuration USING (configuration) WHERE job.job = task.job)"

works "plot draws all that applies" plot study
for figure in average boxes differences regret step-time memory; do
  check "$figure is told" grep -q "^study/figures/study-$figure.svg  " out
  check "$figure is well-formed" texts study/figures/study-$figure.svg >/dev/null
  check "$figure has its script" [ -s study/figures/study-$figure.gp ]
  check "$figure has its data" [ -s study/figures/study-$figure.dat ]
done
check "says what is left out, and why" grep -q '^left out episodes: no episodes were recorded' out
check "no error of w that is given" grep -q '^left out w-error: all of its numbers are 0$' out
check "a finished study is not called unfinished" bash -c '! grep -q "not finished" out'

cd study/figures
for text in sfnec "nec_o'dd {x}" sfql task 'average return over tasks' 'published (thesis)' optimum; do
  check "average has the text $text once" [ "$(python3 ../../texts.py study-average.svg | grep -cxF -e "$text")" = 1 ]
done
check "three curves with a band, a line and marks each" [ "$(grep -c 'filledcurves' study-average.gp)" = 3 ]
check "in different dashes" [ "$(grep 'with lines' study-average.gp | grep -o 'dashtype .' | sort -u | wc -l)" = 3 ]
# sfnec, nec and sfql keep their colours wherever they stand in a study (src/show/theme/agents.c)
colours() { grep -oE "filledcurves linecolor '#[0-9A-F]*" "$1" | grep -o '#.*' | paste -sd' '; }
check "in the colours of the agents" [ "$(colours study-average.gp)" = '#D55E00 #CC79A7 #E69F00' ]
check "the picture has three bands" [ "$(grep -c "polygon.*fill-opacity = '0.18" study-average.svg)" = 3 ]
check "all data are right" python3 - <<'PYTHON'
import math
def blocks(path):
    parts, rows = [], []
    for line in open(path):
        line = line.split("#")[0].split()
        if line: rows.append([float(x) for x in line])
        elif rows: parts.append(rows); rows = []
    return parts + [rows]
sfnec, nec, sfql, published, first, optimum = blocks("study-average.dat")
# seeds 1 2 3 times 100, 150, 200: the mean of the tasks so far
for row, level in zip(sfnec, [100, 150, 200]):
    task, runs, mean, error, low, high = row
    assert runs == 3 and mean == 2 * level and abs(error - level / math.sqrt(3)) < 1e-9
    assert abs(low - mean + error) < 1e-9 and abs(high - mean - error) < 1e-9
assert [row[0] for row in sfnec] == [1, 2, 3] and nec[2][2] == 40 and sfql == nec
assert [row[:3] for row in optimum] == [[1, 3, 500], [2, 3, 750], [3, 3, 1000]]
assert published[0][0] == 3 and published[0][2:] == [123, 4, 119, 127] and first[0][0] == 1 and first[0][2] == 40
boxes, runs, published = blocks("study-boxes.dat")
assert boxes[0][1:9] == [3, 200, 300, 400, 500, 600, 400, boxes[0][8]] and abs(boxes[0][8] - 200 / math.sqrt(3)) < 1e-9
assert [row[1:] for row in runs[:3]] == [[1, 200], [2, 400], [3, 600]] and len(runs) == 9
assert published == [[1, 123, 4, 119, 127]]
# 20 steps in 0.002, 0.004, 0.006 seconds
assert [round(row[2], 9) for row in blocks("study-step-time.dat")[0]] == [100, 200, 300]
# a linear function has no memory
assert len(blocks("study-memory.dat")) == 2
PYTHON
check "differences and regrets are right" python3 - <<'PYTHON'
import math
def blocks(path):
    parts, rows = [], []
    for line in open(path):
        line = line.split("#")[0].split()
        if line: rows.append([float(x) for x in line])
        elif rows: parts.append(rows); rows = []
    return parts + [rows]
# sfnec has 200 times the seed, the others 20 times; three seeds have a standard error and no interval
error = 180 / math.sqrt(3)
for row, place in zip(blocks("study-differences.dat")[0], [2, 1]):
    assert row[:2] == [place, -360] and abs(row[2] - error) < 1e-9 and row[5:] == [0, 3]
    assert abs(row[3] + 360 + error) < 1e-9 and abs(row[4] + 360 - error) < 1e-9
assert [row[2] for row in blocks("study-regret.dat")[0]] == [300, 600, 900]
PYTHON
check "a difference names its reference" has_text study-differences.svg "average return per task: difference to sfnec"
check "and says what its bar is" has_text study-differences.svg "paired by seed; bar: standard error, 3 seeds"
check "a curve says what its band is" has_text study-average.svg "mean and standard error, 3 seeds"
check "names break after a hyphen or a blank, none is cut" has_text study-boxes.svg "nec_o'dd"
# tasks begin at 1, and a published value stays within its task
check "the axis has no task 0" grep -qx 'set xtics (1, 2, 3)' study-average.gp
check "published values stand at their tasks" python3 - <<'PYTHON'
import re
asides = [float(x) for x in re.findall(r"using \(\$1([+-][^)]*)\)", open("study-average.gp").read().replace("+-", "-"))]
assert asides and max(abs(a) for a in asides) < 0.5, asides
PYTHON
check "the script draws again" gnuplot -d study-average.gp
cd "$folder"
check "no date or path gets into the files" bash -c "! grep -rqE '20[0-9]{2}-[0-9]{2}-[0-9]{2}|$PWD' study/figures"
mv study/figures first
works "the same again" plot study
check "gives the same bytes" diff -r first study/figures
works "as PDF and elsewhere" plot study --format pdf --figure average --figure boxes --out deep/er
check "only those" [ "$(ls deep/er | tr '\n' ' ')" = "study-average.dat study-average.gp study-average.pdf study-boxes.dat study-boxes.gp study-boxes.pdf " ]
check "in letters of 8.5 points: 3/4 of what pdfcairo takes for them" grep -q "Helvetica,8.5' fontscale 0.75 " deep/er/study-average.gp
check "is PDF" grep -aq '^%PDF' deep/er/study-average.pdf
mv deep/er/study-average.pdf one.pdf
sleep 1
works "PDF again" plot study --format pdf --figure average --out deep/er
check "gives the same bytes" cmp one.pdf deep/er/study-average.pdf
works "as PNG" plot study --format png --figure memory --out png
check "is PNG" bash -c "head -c 4 png/study-memory.png | tail -c 3 | grep -q PNG"

# ---- a sweep ----
cat >sweep.yaml <<'SPEC'
name: sweep
env: four_rooms
tasks: 2
steps: 20
seeds: 1-2
agents: [sfnec]
sweep: {neighbours: [1, 4, 20]}
published:
  - {agent: sfnec, options: {neighbours: 4}, mean: 7}
SPEC
run run sweep.yaml --out sweep --quiet
works "plot of a sweep" plot sweep
check "names the key" has_text sweep/figures/sweep-boxes.svg neighbours
check "and its values" has_text sweep/figures/sweep-boxes.svg 20
check "one published value" grep -q '^2 7 NaN 7 7$' sweep/figures/sweep-boxes.dat
check "points of a sweep in colours by position" [ "$(cd sweep/figures && colours sweep-average.gp)" = '#0072B2 #D55E00 #009E73' ]
check "a legend by value" has_text sweep/figures/sweep-average.svg 4

# ---- a sweep over two keys, and numbers with a point ----
cat >grid.yaml <<'SPEC'
name: grid
env: four_rooms
tasks: 1
steps: 20
seeds: 1-2
agents: [sfnec]
sweep: {epsilon: [0.05, 0.15], horizon: [1, 2, 4]}
SPEC
run run grid.yaml --out grid --quiet
sql grid "UPDATE task SET total = (SELECT 1000 * (SELECT value FROM setting s WHERE s.configuration = job.configuration
  AND s.key = 'epsilon' AND s.kind = 'sweep') + (SELECT value FROM setting s WHERE s.configuration = job.configuration AND
  s.key = 'horizon' AND s.kind = 'sweep') FROM job WHERE job.job = task.job)"
works "plot of a grid" plot grid
check "the sweep is well-formed" texts grid/figures/grid-sweep.svg >/dev/null
check "and shows a value with a point as it is" has_text grid/figures/grid-sweep.svg 0.15
check "sweeps are right" python3 - <<'PYTHON'
def blocks(path):
    parts, rows = [], []
    for line in open(path):
        if line.startswith("#"): continue
        if line.split(): rows.append([float(x) for x in line.split()])
        elif rows: parts.append(rows); rows = []
    return parts + ([rows] if rows else [])
points, epsilon, more, horizon = blocks("grid/figures/grid-sweep.dat")
assert len(points) == len(more) == 6
assert all(abs(a - b) < 1e-9 for (_, a), b in zip(epsilon, [50 + 7 / 3, 150 + 7 / 3]))
assert horizon == [[1, 101], [2, 102], [3, 104]]
PYTHON
sql grid "UPDATE task SET total = 1e18" # so great that one more is the same
works "plot of a value without an end" plot grid --figure sweep
refuses 1 "'sweep' does not apply: the experiment has no sweep" plot study --figure sweep

# ---- figures of earlier versions: another name, or a sentence that says where they are now ----
works "a former name" plot sweep --figure effects --out former
check "is the figure of today" cmp -s former/sweep-sweep.svg sweep/figures/sweep-sweep.svg
for figure in tasks profile parallel heat weights front; do
  refuses 2 "plot draws no figure '$figure' any more: the report page has it" plot study --figure $figure
done

# ---- over steps ----
cat >steps.yaml <<'SPEC'
name: steps
env: four_rooms_grid
tasks: 1
steps: 400
seeds: 1-2
agents: [sfnec, ql]
record: {episodes: yes, bins: 8}
SPEC
run run steps.yaml --out steps --quiet
works "plot over steps" plot steps
check "reward and episodes, also of one task" [ -s steps/figures/steps-steps-reward.svg -a -s steps/figures/steps-episodes.svg ]
check "a point per bin, at its end" [ "$(grep -c '^50 2 ' steps/figures/steps-steps-reward.dat)" = 2 ]
check "up to the last step" grep -q '^400 2 ' steps/figures/steps-steps-reward.dat
check "recorded episodes are drawn over steps" has_text steps/figures/steps-episodes.svg "environment step"
works "the area under the curve" stats steps --metric auc
check "in words" grep -q 'area under the return of an episode over steps' out
run run steps.yaml --out no-curves --quiet
sql no-curves "DELETE FROM bin"
refuses 1 "'steps-reward' does not apply: no curves over steps were recorded" plot no-curves --figure steps-reward

# ---- episodes ----
cat >cart.yaml <<'SPEC'
name: cart
env: cartpole
tasks: 1
episodes: 3
seeds: 1-2
agents: [nec, {label: other, preset: nec}]
sweep: {horizon: [1, 2, 4, 8, 16]}
record: {episodes: yes}
SPEC
run run cart.yaml --out cart --quiet
sql cart "UPDATE episode SET total = 10.0 * episode * (SELECT seed FROM job WHERE job.job = episode.job)"
works "plot by episode" plot cart
check "one task has no curve over tasks" grep -q '^left out average: the experiment has one task only' out
check "a frame per agent" [ "$(grep -c '^plot ' cart/figures/cart-episodes.gp)" = 2 ]
check "whose names stand above" has_text cart/figures/cart-episodes.svg other
check "equal points share an entry" [ "$(grep -c 'set label "16"' cart/figures/cart-episodes.gp)" = 1 ]
check "ten curves" [ "$(grep -c filledcurves cart/figures/cart-episodes.gp)" = 10 ]
check "with the right numbers" grep -q '^3 2 45 15 30 60$' cart/figures/cart-episodes.dat
check "boxes by episode" has_text cart/figures/cart-boxes.svg 'average return per episode'

# ---- half-finished, and nothing ----
sql study "DELETE FROM task WHERE task > 1 AND job IN (SELECT job FROM job WHERE seed = 3);
           UPDATE job SET state = 'running' WHERE seed = 3"
works "plot of an unfinished study" plot study
check "says so" grep -q '^not finished: 6 of 9 runs are; the figures show the results so far' out
check "later tasks have fewer runs" grep -q '^2 2 225 ' study/figures/study-average.dat
check "boxes are of those that got there" grep -q '^1 2 200 ' study/figures/study-boxes.dat
sql sweep "DELETE FROM task"
refuses 1 'sweep: no run has finished a task yet' plot sweep
refuses 1 'nowhere' plot nowhere

# ---- refusals ----
refuses 2 'needs DIR' plot
refuses 2 "no figure 'averge'; did you mean 'average'? There are average, boxes, differences" plot study --figure averge
refuses 2 "no figure 'qqqqqqqq'; there are average, boxes" plot study --figure qqqqqqqq
"$SFNEC" plot --help >help.txt
for figure in $("$SFNEC" plot study --figure qqqqqqqq 2>&1 | sed 's/.*there are //; s/,//g'); do
  check "$figure is in the help" grep -qw -- "$figure" help.txt
  check "$figure is in the manual" grep -qw -- "$figure" "$SFNEC_SOURCE/docs/sfnec.1"
done
refuses 2 "no format 'gif'; there are svg, pdf and png" plot study --format gif
refuses 1 "'episodes' does not apply: no episodes were recorded" plot study --figure episodes
refuses 1 "'w-error' does not apply: all of its numbers are 0" plot study --figure w-error
refuses 1 "'memory' does not apply: the experiment has one task only" plot cart --figure memory
touch file
refuses 1 'file' plot study --out file
if [ "$(id -u)" -ne 0 ]; then
  mkdir closed && chmod 555 closed
  refuses 1 'cannot write closed/' plot study --out closed
fi
if [ -c /dev/full ]; then
  mkdir full && ln -s /dev/full full/study-average.dat
  refuses 1 'No space left' plot study --out full
fi

# ---- texts are never code, and links are not followed ----
cat >hostile.yaml <<'SPEC'
name: hostile
env: four_rooms
tasks: 2
steps: 20
seeds: 1-2
agents:
  - {label: "ql `touch PWNED1`", preset: ql}
  - {label: "'lead", preset: ql}
  - {label: "50 % of %s \\140touch PWNED2\\140", preset: ql}
  - {label: "\"; system('touch PWNED3'); #", preset: ql}
  - {label: "$(touch PWNED4) @GPVAL_PWD é", preset: ql}
record: {episodes: yes}
published:
  - {agent: "'lead", task: 2, mean: 1, source: "`touch PWNED5` 7 %d"}
SPEC
works "a study with hostile labels" run hostile.yaml -o hostile --quiet
works "its figures" plot hostile
check "nothing was run" [ -z "$(find . -name 'PWNED*')" ]
for figure in average boxes; do
  check "$figure shows a backquote" grep -q 'PWNED1`' <<<"$(texts hostile/figures/hostile-$figure.svg)"
done
check "an apostrophe in front" grep -q "'lead" <<<"$(texts hostile/figures/hostile-average.svg)"
check "per cent" grep -q '50 % of %s \\140touch PWNED2\\140' <<<"$(texts hostile/figures/hostile-average.svg)"
check "per cent in a tic" grep -q '%s' <<<"$(texts hostile/figures/hostile-boxes.svg)"
works "a sweep with hostile labels" run hostile.yaml -o swept-hostile --set epsilon=0.1 --quiet
sql hostile "UPDATE configuration SET label = 'x' || char(10) || '\`touch PWNED6\`'"
works "a label that no spec can have" plot hostile
check "nothing was run then" [ -z "$(find . -name 'PWNED*')" ]
echo precious >precious
ln -sf "$PWD/precious" hostile/figures/hostile-average.svg
ln -sf "$PWD/precious" hostile/figures/hostile-average.gp
works "figures where links are" plot hostile
check "the file behind the link is whole" [ "$(cat precious)" = precious ]
sql hostile "UPDATE experiment SET name = '../../escape'"
refuses 1 'a name that no spec can have' plot hostile

# ---- gnuplot that is missing or fails ----
# with PATH: the program with another search path than the test itself
real=$SFNEC
with() {
  printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "$1" "$real" >wrapped
  chmod +x wrapped
  SFNEC=$folder/wrapped
}
mkdir none broken
with "$folder/none"
refuses 1 'gnuplot is not installed.*gnuplot-nox.*Scripts and data are in bare' plot study --out bare
check "the scripts are there" [ -s bare/study-average.gp ]
check "and the data" [ -s bare/study-boxes.dat ]
check "and no picture" [ ! -e bare/study-average.svg ]
with "$folder/broken:$PATH"
printf '#!/bin/sh\necho "\\"x.gp\\" line 3: unknown terminal" >&2\nexit 1\n' >broken/gnuplot
chmod +x broken/gnuplot
refuses 1 'could not draw bare/study-average.gp: "x.gp" line 3: unknown terminal' plot study --out bare
printf '#!/bin/sh\nexit 0\n' >broken/gnuplot
refuses 1 'could not draw bare/study-average.gp: it gave no reason' plot study --out bare
printf '#!/bin/sh\nkill -9 $$\n' >broken/gnuplot
refuses 1 'gnuplot was ended by signal 9 while it drew bare/study-average.gp' plot study --out bare
finish
