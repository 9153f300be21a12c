"""The tests behind field.sh."""

import contextlib
import math
import re
from pathlib import Path

import numpy as np
from field import figures, page, plan, rows, table, timing, transfer
from field.judge import POINTS, evaluations, score
from field.optimum import optimum
from field.peers import PEERS
from field.runs import Over, Recorder, lines, path_of, put_aside, seed_all, write
from field.worlds import TRANSFER, WORLDS, make, weights


def worlds() -> None:
    for world in WORLDS.values():
        w = weights(world.rewards)
        assert w.shape == (15, world.rewards) or not world.several, world
        assert np.allclose(w.sum(axis=1), 1) and (w >= 0).all()
        assert not world.bound or len(world.bound) == world.rewards
        assert world.known is None or world.goal is None
    env = make(WORLDS["CliffWalking-v1"])  # a world that gets a limit
    env.reset(seed=1)
    assert not any(env.step(0)[3] for _ in range(199)) and env.step(0)[3]
    for job in plan.jobs("all"):
        known = transfer.AGENTS if job.world in TRANSFER else {*PEERS, *plan.OURS}
        assert job.agent in known and (job.world in TRANSFER or page.takes_part(WORLDS[job.world], job.agent)), job
    named = {job.world for whose in ("ours", "peers", "quick") for job in plan.jobs(whose)}
    assert named == set(WORLDS) | set(TRANSFER)


def colours() -> None:
    """Agents that meet in a figure differ in style; ours have those of every other figure."""
    drawn = {*PEERS, *plan.OURS} - {"optimum", "constant"}
    assert len({figures._style(agent) for agent in drawn}) == len(drawn)
    theme = figures._theme()
    assert all(figures._style(agent) == theme["STYLES"][theme["AGENTS"][agent]] for agent in plan.OURS)
    taken = {theme["STYLES"][number] for number in theme["AGENTS"].values()}
    assert not taken & {figures._style(agent) for agent in figures.PEERS}


def judge() -> None:
    assert evaluations(2_000) == [900, 950, 1_000, 1_800, 1_900, 2_000]
    cliff = WORLDS["CliffWalking-v1"]
    way = [0, *[1] * 11, 2]
    steps = iter(way)
    assert score(lambda observation, w: next(steps), make(cliff), cliff) == -13.0 == optimum(cliff)
    assert abs(optimum(WORLDS["Taxi-v4"]) - 7.9) < 0.3
    sea = WORLDS["deep-sea-treasure-v0"]
    # down, down, ... from the start: the nearest treasure of 0.7 after one step, under the mean weights (1/2, 1/2)
    assert math.isclose(score(lambda observation, w: 1, make(sea), sea), (0.7 - 1) / 2, abs_tol=1e-6)
    np.random.seed(1)
    expected = np.random.default_rng, np.random.rand()
    np.random.seed(1)
    score(lambda observation, w: 0, make(cliff), cliff)
    assert np.random.rand() == expected[1]  # the judge leaves the shared streams alone


def learn(out: Path, steps: int) -> Path:
    path = path_of(out, "deep-sea-treasure-v0", "tabular-q", 11)
    seed_all(11)
    with contextlib.suppress(Over):
        PEERS["tabular-q"](Recorder(WORLDS["deep-sea-treasure-v0"], path, steps), 11)
    return path


def resume() -> None:
    """A run that was cut is the same as one that was not, and knows what it has."""
    whole = learn(Path("whole"), 2_000)
    cut = learn(Path("cut"), 1_000)
    with cut.open("a") as file:
        file.write('{"step": 1800, "sco')  # killed while it wrote
    assert [line["step"] for line in lines(cut)] == evaluations(1_000)
    job = plan.Job("deep-sea-treasure-v0", "tabular-q", 11, 2_000)
    assert plan.Known(Path("whole"), None).has(job) and not plan.Known(Path("cut"), None).has(job)
    learn(Path("cut"), 2_000)
    said = [[(line["step"], line["score"]) for line in lines(path)] for path in (whole, cut)]
    assert said[0] == said[1], said
    assert [step for step, _ in said[0]] == evaluations(2_000)


def changing() -> None:
    """A life with changing rewards: every task is paid for all its steps."""
    path = path_of(Path("whole"), "transfer/four-room-v0", "random", 11)
    transfer.run("transfer/four-room-v0", "random", 11, path)
    assert [line["step"] for line in lines(path)] == [2_000 * task for task in range(1, 11)]
    assert len({tuple(w) for w in transfer.tasks_of(TRANSFER["transfer/four-room-v0"], 11)}) == 10


def toy() -> None:
    """Results as if they had been run: one agent that solves CartPole at 2,000 steps and one at 50,000."""
    for agent, seeds, solved in (("sfnec-plan", (11, 12), 2_000), ("dqn", (11, 12, 13), 50_000)):
        for seed in seeds:
            path = path_of(Path("whole"), "CartPole-v1", agent, seed)
            path.parent.mkdir(parents=True, exist_ok=True)
            costs = '"cpu": 1.0, "wall": 2.0, "mb": 60, "base_mb": 50'
            told = [
                f'{{"step": {step}, "score": {500 if step >= 0.9 * solved else seed}, {costs}}}\n'
                for step in evaluations(50_000)
            ]
            path.write_text("".join(told))
    for agent, value in (("optimum-0", 500), ("random-11", 15), ("constant-0", 20)):
        (Path("whole/CartPole-v1") / f"{agent}.jsonl").write_text(f'{{"step": 1000, "score": {value}}}\n')


def pages() -> None:
    toy()
    table.collect(Path("whole"), Path())
    found = table.Table(rows.read(Path(table.RESULTS)))
    cart = WORLDS["CartPole-v1"]
    assert math.isclose(found.goal(cart), 20 + 0.9 * 480)
    assert found.steps_to(cart, "sfnec-plan") == (2_000, 50_000) and found.steps_to(cart, "dqn") == (50_000, 50_000)
    assert found.at("CartPole-v1", "dqn", 1_000).value == 12 and found.at("CartPole-v1", "dqn", POINTS[-1]) is None
    measured = [("sfnec-plan", 1, 100), ("dqn", 1, 900), ("sfnec-plan", 2, 300), ("dqn", 2, 1100), ("dqn", 3, 1000)]
    told = [f"CartPole-v1,{agent},10000,{turn},{cpu}" for agent, turn, cpu in measured]
    Path(timing.TIMES).write_text("\n".join([",".join(timing.COLUMNS), *told, ""]))
    page.make_page(Path("field.md"), Path())
    text = Path("field.md").read_text()
    assert "| `CartPole-v1` | 10,000 | 200 | `dqn` | 1,000 | 5.0x |" in text
    assert "{{" not in text and all(word in text for word in ("not run", "n/a", "no goal"))
    assert (
        f"(several rewards) in 1 of {len(WORLDS)} public environments" in text
        and "smooth dynamics of few\n  variables: CartPole-v1." in text
    )
    assert re.search(r"`CartPole-v1` \| 452 \| \*\*500 ± 0 \(2\)\*\* \|", text), text[:3000]
    assert f"| `dqn` | 3 | {' | '.join(['1 of 10'] * 4)} | 0 of 10 |" in text  # its seeds are all there; ours are not
    assert f"| `sfnec-plan` | 5 | {' | '.join(['0 of 17'] * 4)} | n/a |" in text
    for name in ("field-steps", "field-cartpole-v1", "field-transfer"):
        assert Path(f"figures/{name}.svg").read_text().count("<svg") == 1
    first = Path("figures/field-cartpole-v1.svg").read_bytes()
    page.make_page(Path("field.md"), Path())
    assert Path("figures/field-cartpole-v1.svg").read_bytes() == first  # the same tables make the same bytes


def elsewhere() -> None:
    """Without the runs the tables tell what is done; and what is run here is added to them."""
    tables = [Path(table.RESULTS), Path(table.CHANGES)]
    before = [path.read_text() for path in tables]
    table.collect(Path("nothing"), Path())
    assert [path.read_text() for path in tables] == before
    known = plan.Known(Path("nothing"), Path())
    learned = plan.Job("deep-sea-treasure-v0", "tabular-q", 11, 2_000)
    assert known.has(learned)
    assert not known.has(learned._replace(steps=5_000)) and not known.has(learned._replace(seed=12))
    assert known.has(plan.Job("transfer/four-room-v0", "random", 11, plan.LIFE))
    ours = plan.Job("CartPole-v1", "sfnec-plan", 11, 50_000)
    assert known.has(ours) and not plan.Known(Path("nothing"), Path(), "another").has(ours)
    assert plan.Known(Path("nothing"), Path(), "another").has(learned)  # a peer is no build of ours

    learn(Path("nothing"), 1_000)  # less than the table has
    table.collect(Path("nothing"), Path())
    assert [path.read_text() for path in tables] == before
    learn(Path("nothing"), 5_000)  # more
    table.collect(Path("nothing"), Path())
    assert plan.Known(Path("none"), Path()).has(learned._replace(steps=5_000))
    old, new = before[0].splitlines(), tables[0].read_text().splitlines()
    assert len(old) == len(new) and sum(a != b for a, b in zip(old, new, strict=True)) == 1

    path = path_of(Path("nothing"), "CartPole-v1", "sfnec-plan", 11)
    write(path, {"step": 1_000, "score": 1, "program": "this"})
    put_aside(path, "this")
    assert lines(path)
    put_aside(path, "another")
    assert not lines(path) and lines(path.with_suffix(".old"))


def main() -> None:
    for test in (worlds, colours, judge, resume, changing, pages, elsewhere):
        test()
        print(f"{test.__name__}: ok")


main()
