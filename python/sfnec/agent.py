"""The agent: `sfnec.Agent`."""

from __future__ import annotations

import math
import os
import secrets
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import errors, tables
from ._asking import Asking
from ._defaults import Default, defaults_for, picture_defaults
from ._learn import CallbackLike, Episode, GymLoop, Learning, Log, Loop, NativeLoop
from ._native import Handle, c_text, check, ffi, lib, seed_number, text, whole
from ._offline import Rows, learn_log
from ._vector import VectorLoop
from .actions import Actions
from .answers import Components, Learned, Model, read_components, read_learned, read_model
from .callbacks import intervals, joined
from .diagnosis import Diagnosis, Watch, diagnose
from .loggers import Logger, open_logger
from .logs import read_log
from .places import check_env, component_spaces, is_ours, make, named, of_kind, reseed, world_observations
from .rewards import Reward
from .sources import Embedding, Features, Observations, Phi
from .world import World

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options

__all__ = ["Agent"]


class Agent(Asking):
    """An agent that learns from few steps and reuses what it learned for earlier rewards.

        agent = sfnec.Agent("sfnec", gymnasium.make("sfnec/FourRooms-v0"), seed=1)
        agent.learn(20_000)

    Most agents keep one policy per task; agents that plan keep one model for all tasks. A task is a weight vector w;
    the reward of a transition is phi . w, where phi are its features. `begin_task(w)` begins a new task; without one,
    `learn` uses the environment's own weights.

    Args:
        preset: "sfnec", "nec", "sfql", ...: `sfnec.presets()` lists them.
        env: a Gymnasium or MO-Gymnasium environment (`sfnec.spaces` and `sfnec.actions` say of which spaces), a
            `World`, or a name: of a kind of world
            ("four_rooms") or of a Gymnasium environment. The library's own environments (not wrapped) run in C.
        seed: of the agent, and of the environment when learning begins. None: random, and the environment is not
            seeded.
        embedding: the key of an observation: None (the observation, flattened), a callable, for example a
            torch module, or a word: the library's option of that name.
        unit: scale the bounded components of observations to [0, 1].
        phi: the features as a callable phi(s, a, s2).
        features: the source of features: "info" (info["features"]), "vector" (a vector reward), "linear"
            (info["vector_reward"]), "reward" (the reward itself), "phi". None: the first available one.
        masks: use only actions that the environment allows (info["action_mask"], or its method action_masks()).
            False: ignore its masks.
        **options: options of the agent; `sfnec.options()` lists them.

    An agent belongs to one thread at a time: calls from several threads wait for each other.
    """

    episodes: list[Episode]  #: those that ended while learning
    defaults: dict[str, Default]  #: options that the environment decided, with the reasons
    _loop: Loop

    def __init__(
        self,
        preset: str = "sfnec",
        env: Any = None,
        *,
        seed: int | None = None,
        embedding: Embedding | str | None = None,
        unit: bool = False,
        phi: Phi | None = None,
        features: str | None = None,
        masks: bool = True,
        **options: Unpack[Options],
    ) -> None:
        changes: dict[str, Any] = dict(options)
        if isinstance(embedding, str):
            changes["embedding"], embedding = embedding, None
        found = tables.resolve(preset, changes)  # refuses what is wrong before the environment is tried out
        number = secrets.randbits(63) if seed is None else seed_number(seed)
        self._prepare(preset, seed is not None, found.psi == lib.SFNEC_PSI_LINEAR)
        self._put(env, embedding=embedding, unit=unit, phi=phi, features=features, masks=masks)
        if self._world is None and not is_ours(self.env):
            self.defaults = defaults_for(self.env, tables.as_dict(found), changes)
        shape = ffi.new("sfnec_env_shape *", (*self._shape, self._observations.picture or ()))
        if "embedding" not in changes:
            self.defaults = picture_defaults(shape, found, changes) | self.defaults
        struct = tables.resolve(preset, {name: each.value for name, each in self.defaults.items()} | changes)
        out = ffi.new("sfnec_agent **")
        check(lib.sfnec_agent_create(shape, struct, number, out))
        self.handle = Handle(ffi.gc(out[0], lib.sfnec_agent_destroy))
        check(lib.sfnec_agent_set_components(out[0], component_spaces(self._observations.components)))
        self._noise = np.random.default_rng(number)

    def _prepare(self, label: str, seed_env: bool, one_hot: bool) -> None:
        self._label = label
        self._one_hot = one_hot  # a linear function makes nothing of the number of a state
        self._seed_env = seed_env
        self.defaults = {}
        self._watch = Watch()
        self._learning = threading.Lock()
        self._rewards = {}
        self._functions = {}
        self._asked = None
        self.episodes = []

    # ---- the environment ----

    def set_env(
        self,
        env: Any,
        *,
        embedding: Embedding | None = None,
        unit: bool = False,
        phi: Phi | None = None,
        features: str | None = None,
        masks: bool = True,
    ) -> None:
        """Puts the agent into another environment of the same shapes; the arguments are the class's."""
        self.end_episode()
        before, kept = self._shape, dict(self.__dict__)
        self._put(env, embedding=embedding, unit=unit, phi=phi, features=features, masks=masks)
        if self._shape != before:
            after = self._shape
            self.__dict__.update(kept)
            raise errors.ArgumentError(
                f"the agent has {before[0]} observations, {before[1]} actions and {before[2]} features, "
                f"the environment {after[0]}, {after[1]} and {after[2]}"
            )

    def _put(
        self,
        env: Any,
        *,
        embedding: Embedding | None,
        unit: bool,
        phi: Phi | None,
        features: str | None,
        masks: bool = True,
    ) -> None:
        """Takes up an environment, and finds out its shapes."""
        env = make(env)
        self._how = {"embedding": embedding, "unit": unit, "phi": phi, "features": features, "masks": masks}
        self._masked = masks
        plain = embedding is None and not unit and phi is None and features in (None, "info")
        world = env if isinstance(env, World) else getattr(env, "world", None) if is_ours(env) else None
        if isinstance(world, World) and (plain or world is env):
            if not plain or world.count != 1:
                raise errors.ArgumentError("an agent learns in a world of one environment, by its own features")
            self._world, self._features = world, None
            self._observations, self._actions = world_observations(world), Actions.numbered(world.action_count)
            self._shape = (world.observation_size, world.action_count, world.feature_count)
            self._loop = NativeLoop(self, world)
        else:
            check_env(env)
            self._observations = Observations(env.observation_space, embedding, unit, named(env), self._one_hot)
            self._actions = Actions(env.action_space)
            self._world, self._features = None, Features(env, phi, features, self._actions)
            self._shape = (self._observations.size, self._actions.count, self._features.count)
            self._loop = GymLoop(self, env, self._observations, self._features)
        self.env = env
        self._fresh_env = True

    # ---- life ----

    def close(self) -> None:
        """Frees the agent's memory at once; it cannot be used afterwards."""
        self.handle.release()

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.handle.pointer is None:
            return "<sfnec.Agent, closed>"
        return f"<sfnec.Agent {self._label}, {self.task_count} tasks, {self.bytes} bytes>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole agent to a file, which `sfnec eval`, `sfnec inspect` and `load` read."""
        name = c_text(os.fsencode(path))
        with self.handle as handle:
            self._finish(handle)
            check(lib.sfnec_agent_save(handle, name))

    def _finish(self, handle: Any) -> None:
        """Lets the agent carry all that is to be saved."""
        lines = [f"agent={self._label}"]
        if self._world is not None:
            lines += [f"env={self._world.kind}", *self._world.settings()]
        check(lib.sfnec_agent_set_note(handle, c_text("\n".join(lines) + "\n")))
        # what was drawn to break ties stays drawn
        lib.sfnec_scratch_commit(self.handle.scratch, handle)

    def __reduce__(self) -> Any:
        """Pickling and copying, through the bytes that `save` writes. Needs an environment that can be copied too, and
        ends an episode that is open in the copy."""
        start, size = ffi.new("unsigned char **"), ffi.new("size_t *")
        with self.handle as handle:
            self._finish(handle)
            check(lib.sfnec_agent_save_bytes(handle, start, size))
            content = ffi.buffer(start[0], size[0])[:]
            lib.sfnec_agent_free_bytes(start[0])
            kept = {
                name: self.__dict__[name]
                for name in ("episodes", "defaults", "_rewards", "_noise", "_seed_env", "_fresh_env")
            }
        return _restore, (type(self), content, self.env, self._how, kept)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        env: Any = None,
        *,
        embedding: Embedding | None = None,
        unit: bool = False,
        phi: Phi | None = None,
        features: str | None = None,
        masks: bool = True,
    ) -> Agent:
        """Reads an agent that `save` or `sfnec train --save` wrote; it continues bit for bit.

        Without `env`, an agent of one of the library's worlds gets a new world like the one it was trained in. An agent
        that predicts the reward (nec, ql) does not know weights: it continues with the rewards of the environment.
        """
        out = ffi.new("sfnec_agent **")
        check(lib.sfnec_agent_load(c_text(os.fsencode(path)), out))
        how: dict[str, Any] = {
            "embedding": embedding,
            "unit": unit,
            "phi": phi,
            "features": features,
            "masks": masks,
        }
        return cls._of(out[0], os.fspath(path), env, how)

    @classmethod
    def _of(cls, loaded: Any, name: str, env: Any, how: dict[str, Any]) -> Agent:
        """The agent of a new sfnec_agent that was loaded from what has this name."""
        loaded = ffi.gc(loaded, lib.sfnec_agent_destroy)
        note = dict(line.split("=", 1) for line in text(lib.sfnec_agent_get_note(loaded)).splitlines() if "=" in line)
        agent = cls.__new__(cls)
        linear = lib.sfnec_agent_get_options(loaded).psi == lib.SFNEC_PSI_LINEAR
        agent._prepare(note.pop("agent", "sfnec"), False, linear)
        kind = note.pop("env", None)
        if env is None and kind is None:
            raise errors.ArgumentError(f"{name} does not say where the agent was trained: give env")
        shape = lib.sfnec_agent_get_shape(loaded)
        agent.handle = Handle(loaded)
        agent._shape = (shape.observation_size, shape.action_count, shape.feature_count)
        agent._noise = np.random.default_rng(agent.seed)
        place = of_kind(str(kind), agent.seed, note) if env is None else env
        agent.set_env(place, **how)
        if agent.options["predict"] == "features":
            agent._rewards = {i: task.w for i, task in enumerate(agent.tasks) if not task.learned}
        if agent.options["rewards"] == "any" and agent.options["predict"] == "features":
            # weights of psi say those of features where it has them, and no reward function
            n, plans = shape.feature_count, agent.model is not None
            agent._rewards = {i: w[:n] for i, w in agent._rewards.items() if plans and not w[-1]}
        return agent

    # ---- facts ----

    @property
    def bytes(self) -> int:
        """Memory that the agent holds."""
        with self.handle as handle:
            return int(lib.sfnec_agent_get_bytes(handle))

    @property
    def model(self) -> Model | None:
        """The model of an agent that plans (sfnec-plan): its size, regime and noise; None for others."""
        with self.handle as handle:
            return read_model(handle)

    @property
    def learned(self) -> Learned | None:
        """What is known of features that are learned from rewards (predict="learned"); None for other agents."""
        with self.handle as handle:
            return read_learned(handle)

    @property
    def components(self) -> Components | None:
        """Which components of the observation matter to an agent that plans, and why; None for other agents.

        A tuple with one `Component` each; `print(agent.components)` shows a table.
        """
        with self.handle as handle:
            return read_components(handle)

    def diagnose(self) -> Diagnosis:
        """Findings about the agent and its environment, with remedies; `print` shows a table."""
        return diagnose(self, self._watch)

    # ---- learning ----

    def learn(
        self,
        total_timesteps: int,
        callback: CallbackLike | Sequence[CallbackLike] | None = None,
        progress_bar: bool = True,
        *,
        callback_every: int = 1000,
        keep_episode: bool = False,
        logger: str | os.PathLike[str] | Logger | None = None,
        envs: Any = None,
        reward: Reward | None = None,
    ) -> Agent:
        """Learns the active task from so many transitions.

        Args:
            total_timesteps: transitions.
            callback: is called with a `Progress` after every episode and every `callback_every` transitions; learning
                stops when it returns False. Also a list of them; `sfnec.callbacks` has some.
            progress_bar: a line on standard error, if that is a terminal.
            keep_episode: the last transition does not cut its episode off; the next `learn` continues it.
            logger: where the numbers go: a file that ends in .csv, a folder for TensorBoard, "wandb", or an object of
                `sfnec.loggers`.
            envs: several environments to learn from at once instead of the agent's own: a vector of Gymnasium or a
                `World` of the same shapes. Each has its own episode; all are cut off at the end.
            reward: a task with this reward is begun first, as by `begin_task`, unless it is the active one's.

        Ctrl-C raises KeyboardInterrupt after the transition that is under way. The agent keeps what it learned.
        """
        total_timesteps = whole(total_timesteps, "the number of transitions")
        callback_every = whole(callback_every, "callback_every")
        if total_timesteps < 0 or callback_every < 1:
            raise errors.ArgumentError(
                f"an agent cannot learn from {total_timesteps} transitions, with a callback every {callback_every}"
            )
        told = joined(callback)
        every = math.gcd(callback_every, *intervals(told))
        if not self._learning.acquire(blocking=False):
            raise errors.StateError("this agent is learning already, in another thread or in the callback's own call")
        log, ours = None, False
        try:
            if reward is not None:
                self._take_up(reward)
            task = self._ready()
            loop = self._loop if envs is None else self._vector_loop(envs, task)
            log, ours = open_logger(logger)
            noted = None if log is None else Log(log, sum(each.steps for each in self.tasks))
            Learning(total_timesteps, told, every, keep_episode and envs is None, noted).go(
                self, loop, task, progress_bar
            )
            self._watch.check(self.handle)
            if isinstance(loop, VectorLoop):
                loop.forget()
        finally:
            self._learning.release()
            if log is not None and ours:
                log.close()
        return self

    def _take_up(self, reward: Reward) -> None:
        """Begins a task with this reward, unless it is the active one."""
        task = self.active_task
        present = None if task is None else self._functions.get(task)
        if present is None or present.given != reward:
            self.begin_task(reward=reward)

    def learn_from(self, data: Any, progress_bar: bool = True) -> Agent:
        """Learns the active task from recorded transitions of any policy, without a step in the environment.

        An agent that plans keeps them and plans when it is asked or acts; other agents cut returns off where the log
        leaves their greedy policy, so that with little agreement their targets are one-step. Learning can
        continue online.

            agent.learn_from("transitions.npz")
            agent.learn_from(minari.load_dataset("..."))

        Args:
            data: a mapping of arrays named as in D4RL (observations, actions, rewards, terminals, timeouts, and where
                there are any next_observations and features), a file .npz or .hdf5 of them, a Minari data set, or a
                replay buffer of Stable-Baselines3. Features come from where the agent has them from: its callable phi,
                the array features, or the rewards.
            progress_bar: a line on standard error, if that is a terminal.
        """
        log = read_log(data)
        if not self._learning.acquire(blocking=False):
            raise errors.StateError("this agent is learning already, in another thread or in the callback's own call")
        try:
            task = self._ready()
            self.end_episode()
            learn_log(self, Rows(self, log, self._rewards.get(task), self._functions.get(task)), progress_bar)
        finally:
            self._learning.release()
        return self

    def _vector_loop(self, envs: Any, task: int) -> VectorLoop:
        loop = VectorLoop(self, envs, self._observations, self.seed if self._seed_env else None)
        if task in self._functions:
            raise errors.StateError(
                "several environments are learned from under weights: leave out envs, or the reward"
            )
        loop.prepare(self._rewards.get(task))
        return loop

    def _ready(self) -> int:
        """Seeds the environment, and begins a task if there is none; the number of the active one."""
        if self._fresh_env and self._seed_env:
            reseed(self.env, self.seed)
            if isinstance(self._loop, GymLoop):
                self._loop.seed = self.seed
        self._fresh_env = False
        if self.task_count == 0:
            self._begin_default()
        task = self.active_task
        if task is None:
            raise errors.StateError("no task is active: choose one with set_task or begin_task")
        weights, function = self._rewards.get(task), self._functions.get(task)
        if function is None and self.model is not None and self.options["rewards"] == "any" and weights is None:
            raise errors.StateError(
                f"the reward of task {task} is not in a file: give it again, with set_task({task}, reward=...)"
            )
        if weights is not None and is_ours(self.env):
            self.env.unwrapped.world.set_weights(weights)
        self._loop.prepare(weights, function)
        return task

    def _begin_default(self) -> None:
        if self._world is not None:
            w: NDArray[np.float64] | None = self._world.w[0].copy()
        else:
            assert self._features is not None
            w = self._features.default_weights(self.env)
        own = self.options
        if own["w"] != "given" and own["predict"] == "features":
            w = None
        elif w is None and own["predict"] == "features":
            raise errors.StateError(
                "the environment does not say what its features are worth: give the weights to begin_task"
            )
        self.begin_task(w)

    def end_episode(self) -> None:
        """Ends an episode that is still open, as if its last transition had been truncated."""
        with self.handle as handle:
            if hasattr(self, "_loop"):
                self._loop.forget()
            check(lib.sfnec_agent_end_episode(handle))


def _restore(cls: type[Agent], content: bytes, env: Any, how: dict[str, Any], kept: dict[str, Any]) -> Agent:
    """The agent that `Agent.__reduce__` took apart."""
    out = ffi.new("sfnec_agent **")
    check(lib.sfnec_agent_load_bytes(content, len(content), out))
    agent = cls._of(out[0], "the copy", env, how)
    agent.__dict__.update(kept)
    return agent


Agent.__doc__ = f"{Agent.__doc__}\n    Options:\n" + "".join(
    f"        {option.name}={option.default}: {option.help} ({option.accepts})\n" for option in tables.options()
)
