"""Compares tool_stats with SciPy's and NumPy's answers; the bootstrap with one written in NumPy to rliable's scheme."""

import subprocess
import sys

import numpy as np
from scipy import stats

RESAMPLES = 10000
rng = np.random.default_rng(20240501)
requests, checks = [], []


def text(values):
    return " ".join(repr(float(value)) for value in values)


def sample(strata):
    return f"{len(strata)} {' '.join(str(len(s)) for s in strata)} {text(np.concatenate(strata))}"


def ask(request, check):
    requests.append(request)
    checks.append(check)


def close(found, expected, name):
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11, err_msg=name)


def draw(count, kind):
    """Scores as they come: continuous, whole numbers (ties), and tasks that fail or succeed."""
    if kind == "normal":
        return rng.normal(500, 120, count)
    if kind == "ties":
        return rng.integers(-3, 4, count).astype(float)
    return np.where(rng.random(count) < 0.5, 0.0, rng.uniform(500, 1500, count))


KINDS = ("normal", "ties", "two-peaked")


def resample(strata):
    """(RESAMPLES, all runs): runs drawn with replacement within each stratum, each stratum on its own."""
    return [s[rng.integers(0, len(s), (RESAMPLES, len(s)))] for s in strata]


def check_interval(found, resampled, name):
    """The ends lie where the reference puts about 2.5 % and 97.5 %, within Monte-Carlo error of both (5 sigma)."""
    slack = 5 * np.sqrt(2 * 0.025 * 0.975 / RESAMPLES)
    for end, share in zip(found, (0.025, 0.975), strict=True):
        # a discrete statistic has steps: its end may lie anywhere in the step that crosses the share
        below = np.mean(resampled < end - 1e-9)
        upto = np.mean(resampled <= end + 1e-9)
        assert below - slack <= share <= upto + slack, f"{name}: {end} holds {below} to {upto}, not {share}"


def no_interval(strata):
    return min(len(s) for s in strata) < 2


def summary_check(strata, name):
    def check(found):
        flat = np.concatenate(strata)
        close(found[0::3], [flat.mean(), np.median(flat), stats.trim_mean(flat, 0.25)], name)
        if no_interval(strata):
            assert np.isnan(found[[1, 2, 4, 5, 7, 8]]).all(), name
            return
        drawn = np.concatenate(resample(strata), axis=1)
        check_interval(found[1:3], drawn.mean(axis=1), name + " mean")
        check_interval(found[4:6], np.median(drawn, axis=1), name + " median")
        check_interval(found[7:9], stats.trim_mean(drawn, 0.25, axis=1), name + " iqm")

    return check


def improvement(xs, ys):
    parts = [
        stats.mannwhitneyu(x, y, alternative="greater").statistic / (len(x) * len(y))
        for x, y in zip(xs, ys, strict=True)
    ]
    return np.mean(parts)


def improvement_check(xs, ys, name):
    def check(found):
        close(found[0], improvement(xs, ys), name)
        if no_interval(xs) or no_interval(ys):
            assert np.isnan(found[1:]).all(), name
            return
        shares = []
        for x, y in zip(resample(xs), resample(ys), strict=True):
            pairs = x[:, :, None] - y[:, None, :]
            shares.append(((pairs > 0) + 0.5 * (pairs == 0)).mean(axis=(1, 2)))
        check_interval(found[1:], np.mean(shares, axis=0), name)

    return check


def profile_check(strata, taus, name):
    def check(found):
        close(found[0::3], [np.mean([np.mean(s > tau) for s in strata]) for tau in taus], name)
        if no_interval(strata):
            return
        drawn = resample(strata)
        for i, tau in enumerate(taus):
            check_interval(found[3 * i + 1 : 3 * i + 3], np.mean([(s > tau).mean(axis=1) for s in drawn], axis=0), name)

    return check


def wilcoxon(differences):
    kept = differences[differences != 0]
    if not len(kept):
        return 1.0
    if len(kept) == len(set(abs(kept))):
        return stats.wilcoxon(kept, method="exact").pvalue
    # SciPy's exact method knows no ties: count out all signs
    return stats.wilcoxon(kept, method=stats.PermutationMethod(n_resamples=2 ** len(kept) + 1)).pvalue


def add_plain(kind, n):
    values = draw(n, kind)
    name = f"{kind} n={n}"
    error = stats.sem(values) if n > 1 else np.nan
    ask(f"error {n} {text(values)}", lambda found: close(found, [values.mean(), error], name + " sem"))
    for share in (0, 0.025, 0.31, 0.5, 0.975, 1):
        ask(
            f"quantile {n} {text(values)} {share}",
            lambda found, share=share: close(found, np.quantile(values, share), f"{name} quantile {share}"),
        )
    differences = draw(n, kind) - draw(n, kind)
    if kind == "normal" or n <= 13:
        ask(f"wilcoxon {n} {text(differences)}", lambda found: close(found, wilcoxon(differences), name + " wilcoxon"))


def add_strata(kind, sizes_x, sizes_y):
    xs, ys = [draw(n, kind) for n in sizes_x], [draw(n, kind) for n in sizes_y]
    name = f"{kind} {sizes_x} {sizes_y}"
    ask(f"summary {sample(xs)}", summary_check(xs, name))
    ask(f"improvement {sample(xs)} {sample(ys)}", improvement_check(xs, ys, name))
    taus = np.quantile(np.concatenate(xs), (0, 0.3, 0.7, 1))
    ask(f"profile {sample(xs)} 4 {text(taus)}", profile_check(xs, taus, name))


for kind in KINDS:
    for n in (1, 2, 3, 4, 5, 7, 10, 13, 31, 50):
        add_plain(kind, n)
        add_strata(kind, [n], [n])
    for sizes_x, sizes_y in (
        ([3], [10]),
        ([9, 9, 9], [9, 9, 9]),
        ([5, 5, 5, 5], [2, 2, 2, 2]),
        ([4, 7], [6, 3]),
        ([1, 4], [3, 3]),
    ):
        add_strata(kind, sizes_x, sizes_y)

answer = subprocess.run([sys.argv[1]], input="\n".join(requests) + "\n", capture_output=True, text=True, check=True)
lines = answer.stdout.splitlines()
assert len(lines) == len(requests), f"{len(lines)} answers to {len(requests)} requests"
for line, check in zip(lines, checks, strict=True):
    check(np.array([float(word) for word in line.split()]))
print(f"{len(checks)} answers agree with SciPy {sys.modules['scipy'].__version__}")
