"""Studies: run, results, figures."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import sfnec
from sfnec import _theme, plots, tables

SPEC = {
    "name": "small",
    "title": "A small study",
    "env": "one_room",
    "tasks": 3,
    "steps": 300,
    "seeds": "1-3",
    "agents": ["sfnec", "nec"],
    "sweep": {"neighbours": [1, 5]},
    "record": {"episodes": True},
    "published": [{"agent": "sfnec", "task": 3, "mean": 5.0, "options": {"neighbours": 1}}],
}


@pytest.fixture(scope="module")
def results(command: str, tmp_path_factory: pytest.TempPathFactory) -> sfnec.Results:
    return sfnec.run(SPEC, tmp_path_factory.mktemp("study") / "out", jobs=2, quiet=True)


def test_tables(results: sfnec.Results) -> None:
    returns = results.returns()
    assert len(returns) == 2 * 2 * 3 * 3
    one = returns[(returns.name == "sfnec neighbours=5") & (returns.seed == 2)]
    agent = sfnec.Agent("sfnec", "one_room", seed=2, neighbours=5)
    for row in one.itertuples():
        if row.task > 1:
            agent.begin_task(agent.env.task(row.task - 1))
        before = len(agent.episodes)
        agent.learn(300, progress_bar=False)
        assert row.total == pytest.approx(sum(episode.total for episode in agent.episodes[before:]))
    curves = results.curves()
    last = curves[(curves.name == "sfnec neighbours=5") & (curves.task == 3)].iloc[0]
    averages = returns[(returns.name == "sfnec neighbours=5") & (returns.task == 3)].average
    assert last["mean"] == pytest.approx(averages.mean())
    assert last.se == pytest.approx(averages.std(ddof=1) / np.sqrt(3))
    assert set(results.jobs().state) == {"done"}
    assert results.episodes().total.sum() == pytest.approx(returns.total.sum())
    assert set(returns.columns) >= {record.name for record in tables.records()}
    assert list(results.episodes().columns)[-3:] == [record.name for record in tables.records("episode")]
    with pytest.raises(sfnec.ArgumentError, match="task, episode, bin, evaluation"):
        tables.records("agent")
    bins = results.bins()
    assert (bins.reward * bins.steps).sum() == pytest.approx(returns.total.sum())
    assert bins.groupby(["name", "seed"]).step.max().eq(900).all()
    assert len(results.evaluations()) == 0
    assert results.uses().share.between(0, 1).all()
    assert results.published()["mean"].tolist() == [5.0]
    assert results.experiment["env"] == "one_room"
    assert "neighbours" in set(results.settings().key)


def test_figures(results: sfnec.Results, tmp_path: Path) -> None:
    axes = results.plot_curves()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(labels) == 5 and "published" in labels and "sfnec neighbours=1" in labels
    line = axes.get_lines()[0]
    first = results.curves()
    assert list(line.get_ydata()) == pytest.approx(list(first[first.name == labels[0]]["mean"]))
    axes.figure.savefig(tmp_path / "curves.png")
    axes = results.plot_sweep()
    assert len(axes.get_xticklabels()) == 4 and axes.get_xlabel() == "neighbours"
    axes.figure.savefig(tmp_path / "sweep.png")
    with pytest.raises(sfnec.ArgumentError, match="neighbours"):
        results.plot_sweep("capacity")
    plt.close("all")


def test_the_colour_of_an_agent() -> None:
    """Its preset's, unless the study has two configurations of one preset."""
    agent, other = plots._styles(["sfnec", "nec"])
    assert [other, agent] == plots._styles(["nec", "sfnec"]) and agent != other
    assert plots._styles(["sfnec", "nec", "sfnec"]) == [0, 1, 2]
    by_position = {"nec-atari", "mfec"}  # other libraries' agents have all styles that are free
    assert set(_theme.AGENTS) == {preset.name for preset in tables.presets()} - by_position
    assert max(_theme.AGENTS.values()) < _theme.FREE


def test_without_pandas(results: sfnec.Results, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def no_pandas(name: str, *rest: Any, **named: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", no_pandas)
    rows = results.curves()
    assert isinstance(rows, list) and rows[0]["seeds"] == 3
    assert isinstance(results.returns()[0], dict)


def test_it_goes_on_and_tells(command: str, tmp_path: Path) -> None:
    told: list[dict[str, int]] = []
    spec = {**SPEC, "sweep": {"neighbours": [1]}, "seeds": "1-2"}
    sfnec.run(spec, tmp_path / "out", jobs=1, progress=lambda counts: told.append(counts))
    assert told[-1] == {"waiting": 0, "running": 0, "done": 4, "failed": 0}
    sfnec.run(spec, tmp_path / "out", seeds=[1, 2, 3], quiet=True)
    assert len(sfnec.Results(tmp_path / "out").jobs()) == 6


def test_refusals(command: str, tmp_path: Path) -> None:
    with pytest.raises(sfnec.Error, match="agent"):
        sfnec.run({**SPEC, "agents": ["sfnek"]}, tmp_path / "out", quiet=True)
    with pytest.raises(sfnec.FileError, match="no folder of"):
        sfnec.Results(tmp_path)
    (tmp_path / "experiment.db").write_text("no database")
    with pytest.raises(sfnec.FileError):
        sfnec.Results(tmp_path).returns()


def test_no_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(sfnec.StateError, match="command sfnec was not found"):
        sfnec.run(SPEC, tmp_path / "out")
