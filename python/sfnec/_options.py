"""The options of an agent as types, so that editors complete them and mypy refuses what is none.

Made from the tables of the C library by python/tools/make_options.py.
"""

from __future__ import annotations

from typing import Literal, TypedDict

__all__ = ["Options"]


class Options(TypedDict, total=False):
    """Keywords of `sfnec.Agent`; `embedding` is one of its own."""

    #: what holds psi: one memory per action, a linear function, or a model that it plans over (default
    #: episodic)
    psi: Literal["episodic", "linear", "planned"]
    #: what psi predicts: the features, or the reward alone (NEC) (default features)
    predict: Literal["features", "reward"]
    #: act by the best of all tasks' policies, or by the task's own (default gpi)
    policies: Literal["gpi", "own"]
    #: share of random actions (default 0.15)
    epsilon: float
    #: epsilon after epsilon_steps steps of a task, reached linearly (default 0.0)
    epsilon_final: float
    #: steps over which epsilon goes to epsilon_final; 0: epsilon stays (default 0)
    epsilon_steps: int
    #: which of several best actions to take (default random)
    ties: Literal["random", "first"]
    #: taken from other policies' values, times min(1, distance to their nearest key) (default 0.0)
    gpi_penalty: float
    #: added to an action's value, times min(1, distance to the task's nearest key) (default 0.0)
    novelty: float
    #: discount factor (default 0.95)
    gamma: float
    #: steps N of a target before it bootstraps (default 8)
    horizon: int
    #: learn each target after the horizon, all at the episode's end, or each a step late as the authors do
    #: (default horizon)
    write: Literal["horizon", "episode", "late"]
    #: action that a target bootstraps from: GPI's, or the task's own (default gpi)
    bootstrap: Literal["gpi", "own"]
    #: gradient of the other policy's one-step update: residual or semi (default residual)
    td: Literal["residual", "semi"]
    #: what that update trains: values, or also the keys and the embedding, with training=batch (default
    #: values)
    td_trains: Literal["values", "all"]
    #: learning rate of the gradient steps on psi (default 0.05)
    rate: float
    #: nearest entries k that a look-up blends; with psi=planned, samples of an action (default 20)
    neighbours: int
    #: most entries of one action's memory; the least recently used goes (default 10000)
    capacity: int
    #: weight of a neighbour: 1/(d^2+delta) or 1/(d+delta) (default inverse_squared)
    kernel: Literal["inverse_squared", "inverse"]
    #: keeps the weight of an equal key finite (default 0.001)
    delta: float
    #: step of an equal key's value towards a new target (default 0.1)
    alpha: float
    #: numbers of a key, with any embedding but identity (default 32)
    key_size: int
    #: hidden units of embedding=mlp (default 64)
    hidden: int
    #: a new task's embedding: a new one, a copy of the last, that and fixed, or one for all tasks (default
    #: fresh)
    embedding_init: Literal["fresh", "keep", "frozen", "shared"]
    #: observations that embedding=pca is fitted on; targets wait until then (default 500)
    pca_observations: int
    #: a gradient step on each target's neighbours, or on minibatches of a replay buffer (default sample)
    training: Literal["sample", "batch"]
    #: targets that training=batch remembers (default 5000)
    replay: int
    #: targets of a minibatch (default 16)
    batch: int
    #: targets, or transitions, from one minibatch to the next (default 4)
    train_every: int
    #: what train_every counts: targets or transitions (default target)
    train_per: Literal["target", "transition"]
    #: learning rate of keys, with a learned embedding (default 0.01)
    key_rate: float
    #: greatest norm of a minibatch's gradient; 0: any (default 1.0)
    clip: float
    #: how a learned embedding's weights are trained (default rmsprop)
    optimizer: Literal["sgd", "rmsprop", "adam"]
    #: learning rate of the optimizer (default 0.001)
    embedding_rate: float
    #: share that optimizer=rmsprop keeps of the mean square at each step (default 0.99)
    rmsprop_decay: float
    #: share that optimizer=adam keeps of the mean gradient at each step (default 0.9)
    adam_mean_decay: float
    #: share that optimizer=adam keeps of the mean square at each step (default 0.999)
    adam_square_decay: float
    #: added to the root of the mean square by rmsprop and adam (default 1e-08)
    optimizer_epsilon: float
    #: radius of a representative state, in steps; smaller: more states, a finer plan (default 0.5)
    radius: float
    #: how far away samples may be that predict a state, in steps; 0: its own (default 2.0)
    sample_reach: float
    #: most samples of an action at a state; stochastic environments want more (default 8)
    samples: int
    #: most representative states; at the limit their radius grows up to a step (default 20000)
    states: int
    #: states that the value of an outcome is interpolated over (default 8)
    interpolation: int
    #: learn which components of the observation matter, and leave the others out, or use all (default on)
    relevance: Literal["off", "on"]
    #: one value table for each context, the values of what rarely changes (objects taken), or one in all
    #: (default on)
    contexts: Literal["off", "on"]
    #: value of a terminal state: zero (return per episode), or that of the start (reward per step) (default
    #: restart)
    terminal: Literal["zero", "restart"]
    #: exploration bonus of an action not tried nearby, in units of the reward scale (default 0.1)
    bonus: float
    #: penalty on such actions in questions and greedy play, in the same units (default 0.1)
    pessimism: float
    #: backups of a state and action per step of the environment; fewer: faster, worse plans (default 10000)
    backups: int
    #: most backups in one step of the environment; more: a new plan is made in fewer, slower steps (default
    #: 25000)
    step_backups: int
    #: most backups of a new plan: when a task begins, and for a question under other weights (default
    #: 20000000)
    replan_backups: int
    #: how neighbours are found; all kinds give the same answers (default fast)
    index: Literal["flat", "fast"]
    #: ask only policies that may win, or all; the choices are the same (default pruned)
    gpi: Literal["pruned", "full"]
    #: first weights of a new task's linear psi (default previous)
    warm_start: Literal["previous", "none"]
    #: standard deviation of a linear psi's random first weights (default 0.01)
    init_sd: float
    #: reward weights: given, or learned by SGD or recursive least squares (default given)
    w: Literal["given", "sgd", "rls"]
    #: a new task begins when the agent is told, or when rewards are unlikely under w (psi=planned, w=rls)
    #: (default told)
    tasks: Literal["told", "detect"]
    #: learning rate of w=sgd (default 0.05)
    w_rate: float
    #: standard deviation of the random first weights of w=sgd (default 0.01)
    w_init_sd: float
    #: with w=rls: variance of a weight before any reward, in units of the noise's (default 1000000.0)
    rls_prior: float
    #: with tasks=detect: rewards from one switch called by mistake to the next, on average at least (default
    #: 1000000.0)
    false_alarm_every: float
    #: with tasks=detect: steps after which a feature not seen since is looked for again (default 1000)
    recheck: int
