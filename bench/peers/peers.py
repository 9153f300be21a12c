"""peers.py: microseconds per step of other nearest-neighbour libraries on the arrays that `sfnec-bench memory --dump`
wrote, beside our own numbers for the same memories and queries (ours.json). One step is one query to every memory.

Peers are timed from Python, one call per memory; the row empty-call is the cost of the loop itself. Ours were timed
just before; our flat scan beside that of FAISS tells how alike the two moments were."""

import argparse
import itertools
import json
import pathlib
import statistics
import sys
import time

import faiss
import hnswlib
import numpy as np
import sklearn.neighbors

K = 20


class Flat:
    """FAISS IndexFlatL2"""

    def __init__(self, keys):
        self.index = faiss.IndexFlatL2(keys.shape[1])
        self.index.add(keys)

    def ask(self, query):
        return self.index.search(query, K)[0]


class FaissHnsw:
    """FAISS IndexHNSWFlat"""

    def __init__(self, keys):
        self.index = faiss.IndexHNSWFlat(keys.shape[1], 16)
        self.index.hnsw.efConstruction = 100
        self.index.hnsw.efSearch = 64
        self.index.add(keys)

    def ask(self, query):
        return self.index.search(query, K)[0]


class Hnswlib:
    """hnswlib"""

    def __init__(self, keys):
        self.index = hnswlib.Index(space="l2", dim=keys.shape[1])
        self.index.init_index(max_elements=len(keys), M=16, ef_construction=100, random_seed=1)
        self.index.set_num_threads(1)
        self.index.add_items(keys, num_threads=1)
        self.index.set_ef(64)

    def ask(self, query):
        return self.index.knn_query(query, k=K, num_threads=1)[1]


class Tree:
    """a tree of scikit-learn"""

    kind = None

    def __init__(self, keys):
        self.index = self.kind(keys, leaf_size=40)

    def ask(self, query):
        return self.index.query(query, k=K)[0] ** 2


class KdTree(Tree):
    """scikit-learn KDTree"""

    kind = sklearn.neighbors.KDTree


class BallTree(Tree):
    """scikit-learn BallTree"""

    kind = sklearn.neighbors.BallTree


class Brute:
    """scikit-learn brute force"""

    def __init__(self, keys):
        self.index = sklearn.neighbors.NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=1).fit(keys)

    def ask(self, query):
        return self.index.kneighbors(query)[0] ** 2


class Empty:
    """an empty call"""

    def __init__(self, keys):
        self.answer = np.zeros((1, K))

    def ask(self, query):
        return self.answer


PEERS = {
    "faiss-flat": Flat,
    "faiss-hnsw": FaissHnsw,
    "hnswlib": Hnswlib,
    "sklearn-kdtree": KdTree,
    "sklearn-balltree": BallTree,
    "sklearn-brute": Brute,
    "empty-call": Empty,
}


def recall(found, exact):
    """The share of the neighbours found that are no farther than the exact k-th one, up to rounding."""
    reach = exact[..., -1:] * (1 + 1e-4) + 1e-6
    return float(np.mean(found <= reach))


def measure(peer, memories, queries, seconds):
    """Builds one index per memory, then asks all of them, query by query; the median time and all answers."""
    start = time.perf_counter()
    indexes = [peer(keys) for keys in memories]
    built = time.perf_counter() - start
    times, answers = [], []
    begin = time.perf_counter()
    for query in queries:
        row = query[None, :]
        start = time.perf_counter()
        answer = [index.ask(row) for index in indexes]
        times.append(1e6 * (time.perf_counter() - start))
        answers.append(np.concatenate(answer))
        if len(times) >= 10 and time.perf_counter() - begin > seconds:
            break
    return statistics.median(times), np.stack(answers), built


def print_row(name, us, flat_us, share, built=None):
    quality = "exact" if share > 0.99999 else f"{share:.4f}"
    seconds = "" if built is None else f"{built:9.1f}"
    print(f"{name:28} {us:12.1f} {flat_us / us:8.2f} {quality:>8} {seconds}".rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--skip", default="")
    parser.add_argument("--seconds", type=float, default=20, help="of queries for each peer")
    args = parser.parse_args()

    faiss.omp_set_num_threads(1)
    keys = np.load(args.dir / "keys.npy", mmap_mode="r")
    offsets = np.load(args.dir / "offsets.npy")
    queries = np.load(args.dir / "queries.npy")
    exact = np.load(args.dir / "squared.npy")
    memories = [np.ascontiguousarray(keys[a:b]) for a, b in itertools.pairwise(offsets)]
    if min(len(m) for m in memories) < K:
        sys.exit("peers.py: a memory has fewer entries than neighbours asked for")
    ours = json.loads((args.dir / "ours.json").read_text())["results"][-1]

    # FAISS goes first: the others are compared with it
    names = [name for name in PEERS if name not in args.skip.split(",")]
    flat_us = None
    print(f"{ours['tasks']} tasks, {len(memories)} memories, {len(keys)} entries, {len(queries)} queries, k = {K}")
    print(f"{'method':28} {'us per step':>12} {'x FAISS':>8} {'recall':>8} {'build s':>9}")
    for name in names:
        us, found, built = measure(PEERS[name], memories, queries, args.seconds)
        flat_us = flat_us or us
        if name == "empty-call":
            print(f"{name:28} {us:12.1f}")
        else:
            print_row(name, us, flat_us, recall(found, exact[: len(found)]), built)
    for name, key in [
        ("sfnec flat scan", "flat_us"),
        ("sfnec fast, all lists", "lists_us"),
        ("sfnec fast, GPI action", "gpi_us"),
    ]:
        print_row(name, ours[key], flat_us, 1.0)
    print()


if __name__ == "__main__":
    main()
