"""`python -m cabochon.learn.linear --variant classic --players 2 --games 20000 --rounds 3 [--gpu]` learns linear weights."""

import argparse

from .tune import Backend, OnCpu, Table, tune_round


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser("python -m cabochon.learn.linear", description="Learn the linear weights of a game.")
    parser.add_argument("--variant", default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=20000, help="of every round")
    parser.add_argument("--nodes", type=int, default=64, help="of every move")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gpu", action="store_true", help="play on a CUDA GPU; needs torch")
    return parser.parse_args()


def main() -> None:
    """Tune, round after round."""
    given = options()
    backend: Backend = OnCpu(given.threads)
    if given.gpu:
        from .gpu import OnGpu

        backend = OnGpu()
    for number in range(given.rounds):
        seed = given.seed + number * given.games
        tune_round(Table(given.variant, given.players), given.games, given.nodes, seed, backend, given.threads)


if __name__ == "__main__":
    main()
