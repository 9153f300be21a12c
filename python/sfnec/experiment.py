"""Experiments: `sfnec.run` starts the command `sfnec run`, `sfnec.Results` reads what it stored."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import errors, tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Results", "command", "run"]

Path_ = str | os.PathLike[str]


def command() -> str:
    """The path of the command `sfnec`: the one that was installed with this package, or else the one on PATH."""
    own = Path(sysconfig.get_path("scripts")) / "sfnec"
    found = str(own) if own.is_file() and os.access(own, os.X_OK) else shutil.which("sfnec")
    if found is None:
        raise errors.StateError(
            "the command sfnec was not found: install the package where SQLite and libyaml are (libsqlite3-dev, "
            "libyaml-dev), or build sfnec and put it on the PATH"
        )
    return found


def call(words: Sequence[str]) -> str:
    """What the command prints when it is started with these words."""
    done = subprocess.run([command(), *words], capture_output=True, text=True)
    if done.returncode:
        told = done.stderr.strip() or f"sfnec {words[0]} ended with status {done.returncode}"
        raise (errors.OptionError if done.returncode == 2 else errors.StateError)(told)
    return done.stdout


def run(
    spec: Path_ | Mapping[str, Any],
    out: Path_ | None = None,
    *,
    env: str | Callable[..., Any] | None = None,
    jobs: int | None = None,
    seeds: str | Sequence[int] | None = None,
    tasks: int | None = None,
    steps: int | None = None,
    set: Mapping[str, Any] | None = None,
    quick: bool = False,
    force_new: bool = False,
    quiet: bool = False,
    progress: Callable[[dict[str, int]], object] | None = None,
) -> Results:
    """Runs a study from its spec, or resumes it; the same call resumes where it was stopped.

    Args:
        spec: a YAML file, or a mapping with the same keys.
        out: the experiment's folder; runs/NAME if left out, with NAME the spec's file name without its ending (or the
            mapping's name), and "-quick" behind it with `quick`.
        env: another world than the spec's: the name of an environment, an id of Gymnasium, or a function that makes an
            environment. The jobs run in other processes, so that the function must be one of a module, or of the script
            that calls this (which then needs its `if __name__ == "__main__"`).
        jobs: how many at the same time; one per core if left out.
        seeds: other seeds than the spec's: "1-10", or a list of numbers.
        tasks: another number of tasks.
        steps: another number of steps per task.
        set: other values of options of the agents or of the world, by name.
        quick: a small version, to see whether it works.
        force_new: start again; an experiment that is there is moved away.
        quiet: show nothing.
        progress: is called about once a second with the number of jobs by state (waiting, running, done, failed), and
            once at the end; the command's own output is then not shown. It stops the study by returning False.

    Ctrl-C stops the study, which saves its running jobs, and raises KeyboardInterrupt.
    """
    name = str(spec.get("name", "experiment")) if isinstance(spec, Mapping) else Path(spec).stem
    folder = Path("runs") / (name + ("-quick" if quick else "")) if out is None else Path(out)
    with tempfile.TemporaryDirectory(prefix="sfnec-") as scratch:
        path = spec
        if isinstance(spec, Mapping):
            path = Path(scratch) / f"{name}.yaml"
            path.write_text(json.dumps({"name": name, **spec, **_located(spec)}), encoding="utf-8")  # JSON is YAML
        env = env if env is None else _env_word(env)
        words = [command(), "run", os.fspath(path), "-o", os.fspath(folder)]  # type: ignore[arg-type]
        listed = seeds if isinstance(seeds, str) or seeds is None else ",".join(str(seed) for seed in seeds)
        for option, value in (("env", env), ("jobs", jobs), ("seeds", listed), ("tasks", tasks), ("steps", steps)):
            words += [f"--{option}", str(value)] if value is not None else []
        for key, value in (set or {}).items():
            words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
        for option, wanted in (("quick", quick), ("force-new", force_new), ("quiet", quiet or progress is not None)):
            words += [f"--{option}"] if wanted else []
        folder.parent.mkdir(parents=True, exist_ok=True)
        _conduct(words, folder, quiet or progress is not None, progress)
    return Results(folder)


def _factory_name(function: Callable[..., Any]) -> str:
    """`module:function`, by which another process finds it."""
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "<>")
    if not module or "<" in name or (module == "__main__" and not _main_path()):
        raise errors.ArgumentError(
            f"{function!r} cannot be found by another process: make the world by a function or class of a module"
        )
    return f"{module}:{name}"


def _env_word(env: str | Callable[..., Any]) -> str:
    """The word for --env."""
    if callable(env):
        return f"gym:{_factory_name(env)}"
    own = {kind.name for kind in tables.environments()}
    return env if env in own or "gym:" in env or env.endswith(".so") else f"gym:{env}"


def _main_path() -> str | None:
    """The script that is running, if there is one."""
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.abspath(path) if path else None


def _surroundings() -> dict[str, str]:
    """The environment variables of the command: Gymnasium environments are made by a Python like this one."""
    main = _main_path()
    found = {"SFNEC_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return {**os.environ, **found, **({"SFNEC_MAIN": main} if main else {})}


def _located(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The environment of a mapping as a file has it: the way to a plugin begins here, and functions have names."""
    env = spec.get("env")
    if isinstance(env, str) and ("/" in env or env.endswith(".so")):
        return {"env": os.path.abspath(env)}
    if isinstance(env, Mapping) and "plugin" in env:
        return {"env": {**env, "plugin": os.path.abspath(env["plugin"])}}
    if isinstance(env, Mapping) and callable(env.get("gymnasium")):
        return {"env": {**env, "gymnasium": _factory_name(env["gymnasium"])}}
    return {}


def _conduct(words: list[str], folder: Path, hidden: bool, progress: Callable[[dict[str, int]], object] | None) -> None:
    """Starts the command and waits; Ctrl-C reaches it too, and it is given the time to save."""
    process = subprocess.Popen(words, stderr=subprocess.PIPE if hidden else None, text=True, env=_surroundings())
    interrupted = False
    said = ""
    while True:
        try:
            _, said = process.communicate(timeout=1.0 if progress else None)
            break
        except subprocess.TimeoutExpired:
            if progress is not None and progress(_states(folder)) is False:
                process.send_signal(signal.SIGINT)
                progress = None
        except KeyboardInterrupt:
            if not interrupted:
                process.send_signal(signal.SIGINT)  # a signal to Python alone does not reach the command
            interrupted = True
    if progress is not None:
        progress(_states(folder))
    if interrupted:
        raise KeyboardInterrupt
    if process.returncode not in (0, 130):
        told = (said or "").strip() or f"{words[0]} ended with status {process.returncode}"
        raise (errors.OptionError if process.returncode == 2 else errors.StateError)(told)


def _states(folder: Path) -> dict[str, int]:
    """Jobs by state; all zero as long as there is no plan."""
    counts = dict.fromkeys(("waiting", "running", "done", "failed"), 0)
    try:
        rows = Results(folder).sql("SELECT state, count(*) AS jobs FROM job GROUP BY state", frame=False)
    except errors.Error:
        return counts
    counts.update({row["state"]: row["jobs"] for row in rows})
    return counts


class Results:
    """The results of an experiment: tables for pandas, and the paper's figures.

        results = sfnec.Results("runs/main")
        results.curves()            # mean and standard error over the seeds, by configuration and task
        results.plot_curves()

    Tables are pandas frames if pandas is installed, and lists of dictionaries otherwise. They can be read at any time,
    also while the experiment runs. Tasks are numbered from 1, as `docs/store.md` says.

    Args:
        folder: of an experiment: what `sfnec run` wrote.
    """

    def __init__(self, folder: Path_) -> None:
        self.folder = Path(folder)
        self.path = self.folder / "experiment.db"
        if not self.path.is_file():
            raise errors.FileError(f"{self.path} is not there: {self.folder} is no folder of `sfnec run`")

    def __repr__(self) -> str:
        return f"<sfnec.Results {os.fspath(self.folder)}>"

    def sql(self, query: str, parameters: Sequence[Any] = (), *, frame: bool = True) -> Any:
        """The rows that an SQL query of experiment.db finds (`docs/store.md` has its tables).

        Args:
            query: what is asked for; the database is only read.
            parameters: of the query's question marks.
            frame: False: a list of dictionaries, even where pandas is installed.
        """
        try:
            connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, timeout=30)
            try:
                cursor = connection.execute(query, parameters)
                names = [column[0] for column in cursor.description]
                rows = cursor.fetchall()
            finally:
                connection.close()
        except sqlite3.Error as error:
            raise errors.FileError(f"{self.path}: {error}") from error
        if frame:
            try:
                import pandas
            except ImportError:
                pass
            else:
                return pandas.DataFrame(rows, columns=names)
        return [dict(zip(names, row, strict=True)) for row in rows]

    @property
    def experiment(self) -> dict[str, Any]:
        """Name, title, environment, tasks, steps and the resolved spec."""
        found: list[dict[str, Any]] = self.sql("SELECT * FROM experiment", frame=False)
        return found[0] if found else {}

    def returns(self) -> Any:
        """A row per task of a job: its return, and the average of the returns so far."""
        return self.sql("SELECT * FROM returns")

    def curves(self) -> Any:
        """A row per configuration and task: mean over the seeds of the average return, and its standard error."""
        rows = self.sql("SELECT * FROM curves", frame=False)
        for row in rows:
            row["se"] = None if row["variance"] is None else (row["variance"] / row["seeds"]) ** 0.5
        return _frame(rows)

    def jobs(self) -> Any:
        """A row per job: configuration, seed, state."""
        return self.sql("SELECT * FROM jobs")

    def uses(self) -> Any:
        """A row per policy of a task: for how many steps GPI chose it."""
        return self.sql("SELECT * FROM uses")

    def episodes(self) -> Any:
        """A row per episode, if the spec records them."""
        numbers = ", ".join(f"episode.{record.name} AS {record.name}" for record in tables.records("episode"))
        return self.sql(
            f"SELECT name, label, point, seed, task, episode, {numbers} FROM episode "
            "JOIN (SELECT job, position, configuration, seed FROM job) USING (job) "
            "JOIN configuration USING (configuration) ORDER BY position, task, episode"
        )

    def bins(self) -> Any:
        """A row per bin of a task's steps: its curve, as means; `step` is the environment step at its end."""
        return self.sql("SELECT * FROM bins")

    def evaluations(self) -> Any:
        """A row per evaluation during learning and weight vector, if the spec asks for them."""
        return self.sql("SELECT * FROM evaluations")

    def published(self) -> Any:
        """The published values of the spec."""
        return self.sql("SELECT * FROM published")

    def settings(self) -> Any:
        """A row per configuration and option."""
        return self.sql("SELECT name, kind, key, value FROM setting JOIN configuration USING (configuration)")

    def stats(
        self, metric: str | None = None, *, against: str | None = None, task: int | None = None
    ) -> dict[str, Any]:
        """The statistics of `sfnec stats`: means, intervals, comparisons, sweeps; a frame: `["configurations"]`.

        Args:
            metric: what is compared, by its name in `docs/statistics.md`; None: what the spec or the world names, else
                the return.
            against: the configuration that the others are compared with; None: the first.
            task: after so many tasks; None: after the last that all finished runs have.
        """
        words = ["stats", os.fspath(self.folder), "--json", "-"]
        for option, value in (("metric", metric), ("against", against), ("task", task)):
            words += [] if value is None else [f"--{option}", str(value)]
        found: dict[str, Any] = json.loads(call(words))
        return found

    def report(self, path: Path_ | None = None) -> Path:
        """Writes the page of `sfnec report`, which works offline; its path."""
        page = self.folder / "report.html" if path is None else Path(path)
        call(["report", os.fspath(self.folder), "-o", os.fspath(page)])
        return page

    def plot_curves(self, ax: Axes | None = None, **named: Any) -> Axes:
        """The paper's main figure: see `sfnec.plots.curves`."""
        from . import plots

        return plots.curves(self, ax=ax, **named)

    def plot_sweep(self, key: str | None = None, ax: Axes | None = None, **named: Any) -> Axes:
        """Boxes over the values of an option: see `sfnec.plots.sweep`."""
        from . import plots

        return plots.sweep(self, key, ax=ax, **named)


def _frame(rows: list[dict[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
