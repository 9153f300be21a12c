"""The options of an agent as types, so that editors complete them and mypy refuses what is none.

Made from the tables of the C library by python/tools/make_options.py.
"""

from __future__ import annotations

from typing import Literal, TypedDict

__all__ = ["Options"]


class Options(TypedDict, total=False):
    """Keywords of `sfnec.Agent`; `embedding` is one of its own."""

    #: how psi is held: one memory per action, a linear function, or a model to plan over (default episodic)
    psi: Literal["episodic", "linear", "planned"]
    #: what psi predicts: the features, the reward alone (NEC), or features learned from rewards (default
    #: features)
    predict: Literal["features", "reward", "learned"]
    #: rewards of a task: phi . w, or any function of a transition too (default linear)
    rewards: Literal["linear", "any"]
    #: most joint values of phi, with rewards=any and a psi per task (default 16)
    joint_values: int
    #: act by the best of all tasks' policies (GPI), or by the task's own (default gpi)
    policies: Literal["gpi", "own"]
    #: probability of a random action, usually 0.05 to 0.2; agents that plan use 0 (default 0.15)
    epsilon: float
    #: epsilon after epsilon_steps steps of a task, approached linearly (default 0.0)
    epsilon_final: float
    #: steps of a task in which epsilon reaches epsilon_final; 0: epsilon is constant (default 0)
    epsilon_steps: int
    #: which of several best actions is taken: one at random, or the first (default random)
    ties: Literal["random", "first"]
    #: penalty on other policies' values, times min(1, distance to their nearest key), e.g. 0.3 (default 0.0)
    gpi_penalty: float
    #: bonus on an action's value, times min(1, distance to the task's nearest key), e.g. 0.1 (default 0.0)
    novelty: float
    #: discount factor, usually 0.9 to 0.99 (default 0.95)
    gamma: float
    #: steps N of an N-step target before it bootstraps, usually 1 to 32 (default 8)
    horizon: int
    #: when a target is learned: after the horizon, at the episode's end, or one step late (default horizon)
    write: Literal["horizon", "episode", "late"]
    #: action that a target bootstraps from: GPI's, or the task's own (default gpi)
    bootstrap: Literal["gpi", "own"]
    #: one-step update of the other policy that GPI chose: residual gradient or semi-gradient (default
    #: residual)
    td: Literal["residual", "semi"]
    #: what the one-step update td trains: values, or with training=batch keys and embedding too (default
    #: values)
    td_trains: Literal["values", "all"]
    #: learning rate of the gradient steps on psi, usually 0.01 to 0.1 (default 0.05)
    rate: float
    #: nearest entries k of a look-up, usually 5 to 50; with psi=planned, samples of a prediction, 5 (default
    #: 20)
    neighbours: int
    #: most entries of one action's memory; at the limit the least recently used one is replaced (default
    #: 10000)
    capacity: int
    #: most entries of all tasks' and actions' memories together; 0: no limit but capacity (default 0)
    capacity_total: int
    #: weight of a neighbour: 1/(d^2+delta) or 1/(d+delta) (default inverse_squared)
    kernel: Literal["inverse_squared", "inverse"]
    #: keeps the weight of an equal key finite, usually 1e-4 to 1e-2; smaller: nearer neighbours count more
    #: (default 0.001)
    delta: float
    #: learning rate of an equal key's value towards a new target, usually 0.1 to 0.5 (default 0.1)
    alpha: float
    #: what a target does to an equal key's value: moves it by alpha, or replaces a lesser one (default move)
    equal: Literal["move", "greater"]
    #: dimensions of a key, with any embedding but identity, usually 8 to 64 (default 32)
    key_size: int
    #: hidden units of embedding=mlp, usually 32 to 256 (default 64)
    hidden: int
    #: embedding of a new task: fresh, a copy of the last, fixed, or shared (default fresh)
    embedding_init: Literal["fresh", "keep", "frozen", "shared"]
    #: layers of embedding=conv before the key, e.g. conv:32x8/4,64x4/2;dense:128 (default auto)
    layers: str
    #: whether keys of learned embeddings have length 1; auto: those of embedding=conv (default auto)
    unit_keys: Literal["auto", "off", "on"]
    #: what finds the entry of a target again: its key, or its observation, whose key is then renewed (default
    #: auto)
    match: Literal["auto", "key", "observation"]
    #: width of the blur of pictures with embedding=random, in shares of their shorter side; 0: none (default
    #: 0.07)
    blur: float
    #: observations that embedding=pca is fitted on; targets wait until then (default 500)
    pca_observations: int
    #: a gradient step on each target's neighbours, or on minibatches of a replay buffer (default sample)
    training: Literal["sample", "batch"]
    #: capacity of the replay buffer of training=batch, in targets (default 5000)
    replay: int
    #: size of a minibatch, in targets, usually 8 to 64 (default 16)
    batch: int
    #: targets in the replay buffer before the first minibatch; at least one batch (default 0)
    train_start: int
    #: targets, or transitions, from one minibatch to the next, usually 1 to 16 (default 4)
    train_every: int
    #: what train_every counts: targets or transitions (default target)
    train_per: Literal["target", "transition"]
    #: learning rate of keys, with a learned embedding (default 0.01)
    key_rate: float
    #: greatest norm of a minibatch's gradient; 0: no clipping (default 1.0)
    clip: float
    #: how the weights of a learned embedding are trained (default rmsprop)
    optimizer: Literal["sgd", "rmsprop", "adam"]
    #: learning rate of the optimizer, usually 1e-4 to 1e-2 (default 0.001)
    embedding_rate: float
    #: decay of the mean squared gradient, with optimizer=rmsprop (default 0.99)
    rmsprop_decay: float
    #: decay of the mean gradient (beta 1), with optimizer=adam (default 0.9)
    adam_mean_decay: float
    #: decay of the mean squared gradient (beta 2), with optimizer=adam (default 0.999)
    adam_square_decay: float
    #: added to the root of the mean square by rmsprop and adam (default 1e-08)
    optimizer_epsilon: float
    #: radius of a representative state, in steps, usually 0.25 to 1; smaller: a finer plan (default 0.5)
    radius: float
    #: greatest distance at which states share samples, in steps, usually 1 to 2; 0: none are shared (default
    #: 2.0)
    sample_reach: float
    #: most samples of an action in a state, usually 2 to 8; stochastic environments need more (default 8)
    samples: int
    #: most representative states; at the limit their radius grows, up to one step (default 20000)
    states: int
    #: nearest states that a value is interpolated over, usually 4 to 8; 1: no interpolation (default 8)
    interpolation: int
    #: drop components of the observation that do not matter, or use all (default on)
    relevance: Literal["off", "on"]
    #: estimate states by a Kalman filter where observations are noisy, or use them as they are (default on)
    filter: Literal["off", "on"]
    #: a value table for each context (slow components, e.g. objects taken), or one (default on)
    contexts: Literal["off", "on"]
    #: value of a terminal state: 0 (return per episode) or the start's (reward per step) (default restart)
    terminal: Literal["zero", "restart"]
    #: exploration bonus of an action not tried nearby, in units of the reward scale, usually 0.03 to 0.3
    #: (default 0.1)
    bonus: float
    #: penalty on an action not tried nearby, in queries and greedy play, usually 0.1 to 1 (default 0.1)
    pessimism: float
    #: mean backups of an action per step, usually 2,000 to 10,000; fewer: faster steps, worse plans (default
    #: 10000)
    backups: int
    #: most backups in one step, about 20 ns each; fewer: faster slowest steps, later plans (default 25000)
    step_backups: int
    #: most backups of a new plan, for a new task or a question under another w (default 20000000)
    replan_backups: int
    #: most backups of one question; the next one resumes its plan; 0: no limit (default 5000000)
    question_backups: int
    #: the mechanism of the planner that is switched off, to measure what it earns (default none)
    without: Literal[
        "none",
        "refits",
        "log",
        "short_steps",
        "cells",
        "counts",
        "noise",
        "exact",
        "apart",
        "differences",
        "chance",
        "other_ends",
        "polynomial",
        "balance",
        "own_share",
        "tried",
        "tried_context",
        "known_ends",
        "novelty_by_chance",
        "first_values",
        "inheritance",
        "path",
        "starts",
        "silent_effects",
        "optimism",
        "exploitation",
        "circles",
        "feedback",
        "rollouts",
        "lambda_returns",
    ]
    #: how neighbours are found: a full scan, or a tree of boxes; the answers are the same (default fast)
    index: Literal["flat", "fast"]
    #: evaluate only policies that may win, or all; the choices are the same (default pruned)
    gpi: Literal["pruned", "full"]
    #: first weights of a new task's linear psi: those of the last task, or random (default previous)
    warm_start: Literal["previous", "none"]
    #: standard deviation of a linear psi's random first weights (default 0.01)
    init_sd: float
    #: reward weights: given, or learned by SGD or recursive least squares (default given)
    w: Literal["given", "sgd", "rls"]
    #: task switches: given by the caller, or detected from rewards (psi=planned, w=rls) (default told)
    tasks: Literal["told", "detect"]
    #: learning rate of w=sgd, usually 0.01 to 0.1 (default 0.05)
    w_rate: float
    #: standard deviation of the random first weights of w=sgd (default 0.01)
    w_init_sd: float
    #: with w=rls: prior variance of a weight, in units of the variance of the reward noise (default
    #: 1000000.0)
    rls_prior: float
    #: with tasks=detect: least mean number of rewards between two false alarms (default 1000000.0)
    false_alarm_every: float
    #: with tasks=detect: steps after which the weight of a feature not seen since counts as unknown (default
    #: 1000)
    recheck: int
