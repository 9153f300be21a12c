"""torch_train.py: the training step of `sfnec-bench train` by PyTorch, on the arrays that --dump wrote: the same
memories, the same replay buffer, the same minibatch shape, one thread.

A step embeds the minibatch, finds the k nearest keys of each sample by brute force (as FAISS's flat index does), blends
their values, back-propagates the mean squared error into values, keys and weights, clips the gradient, and moves values
and keys by SGD and the weights by RMSprop. The first step is compared with ours: the weights must come out the same."""

import argparse
import json
import pathlib
import statistics
import time

import numpy as np
import torch

RATE, KEY_RATE, EMBEDDING_RATE, DECAY, EPSILON, CLIP, DELTA = 0.05, 0.01, 0.001, 0.99, 1e-8, 1.0, 1e-3


class Agent:
    """One memory per action, and a linear embedding."""

    def __init__(self, folder, neighbours, dtype):
        def load(name):
            return torch.from_numpy(np.load(folder / f"{name}.npy"))

        self.neighbours = neighbours
        self.keys = load("keys").to(dtype)  # (actions, entries, m)
        self.values = load("values").to(dtype)  # (actions, entries, n)
        self.observations = load("observations").to(dtype)
        self.actions = load("actions").long()
        self.targets = load("targets").to(dtype)
        weights = load("weights").to(dtype)
        self.layer = torch.nn.Linear(weights.shape[0] - 1, weights.shape[1], dtype=dtype)
        with torch.no_grad():
            self.layer.weight.copy_(weights[:-1].T)
            self.layer.bias.copy_(weights[-1])
        self.optimizer = torch.optim.RMSprop(self.layer.parameters(), lr=EMBEDDING_RATE, alpha=DECAY, eps=EPSILON)

    def step(self, drawn):
        """Trains the samples of these numbers."""
        self.optimizer.zero_grad()
        queries = self.layer(self.observations[drawn])  # (B, m)
        actions, targets = self.actions[drawn], self.targets[drawn]
        loss, parts = 0.0, []
        for action in actions.unique().tolist():
            chosen = actions == action
            query = queries[chosen]  # (b, m)
            with torch.no_grad():
                near = torch.cdist(query, self.keys[action]).topk(self.neighbours, largest=False).indices  # (b, k)
                used, places = near.unique(return_inverse=True)
            # leaves of their own, so that the gradient is as long as the entries that took part
            keys = self.keys[action][used].requires_grad_()
            values = self.values[action][used].requires_grad_()
            squared = (query[:, None] - keys[places]).square().sum(2)
            weights = 1 / (squared + DELTA)
            psi = (weights[:, :, None] * values[places]).sum(1) / weights.sum(1, keepdim=True)
            loss = loss + (psi - targets[chosen]).square().sum()
            parts.append((action, used, keys, values))
        (loss / targets.numel()).backward()
        leaves = [*self.layer.parameters(), *(leaf for part in parts for leaf in part[2:])]
        torch.nn.utils.clip_grad_norm_(leaves, CLIP)
        with torch.no_grad():
            for action, used, keys, values in parts:
                self.keys[action].index_add_(0, used, keys.grad, alpha=-KEY_RATE)
                self.values[action].index_add_(0, used, values.grad, alpha=-RATE)
        self.optimizer.step()


def compare(folder, neighbours):
    """The greatest difference of a weight after one step, in units of the greatest change."""
    agent = Agent(folder, neighbours, torch.float64)
    before, after = np.load(folder / "weights.npy"), np.load(folder / "after.npy")
    agent.step(torch.from_numpy(np.load(folder / "drawn.npy")))
    found = np.vstack([agent.layer.weight.detach().numpy().T, agent.layer.bias.detach().numpy()])
    return np.abs(found - after).max() / np.abs(after - before).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=500)
    args = parser.parse_args()
    torch.set_num_threads(1)
    ours = json.loads((args.dir / "ours.json").read_text())

    difference = compare(args.dir, ours["neighbours"])
    agent = Agent(args.dir, ours["neighbours"], torch.float32)
    generator = torch.Generator().manual_seed(1)
    times = []
    for _ in range(args.steps):
        drawn = torch.randint(len(agent.actions), (ours["batch"],), generator=generator)
        start = time.process_time()
        agent.step(drawn)
        times.append(1e6 * (time.process_time() - start))
    mean = statistics.mean(times)
    print(
        f"PyTorch {torch.__version__}: mean {mean:.1f}, median {statistics.median(times):.1f} microseconds of "
        "processor time per minibatch"
    )
    for name in ("flat", "fast"):
        us = ours[f"{name}_us"]
        print(f"sfnec, index={name}: mean {us:.1f}: {mean / us:.2f} times as fast")
    print(f"weights after the first step differ by {difference:.1e} of the greatest change")
    # the first step of RMSprop is nearly the sign of each gradient, so rounding shows where one is nearly 0
    if difference > 1e-2:
        raise SystemExit("torch_train.py: the two steps are not the same")


if __name__ == "__main__":
    main()
