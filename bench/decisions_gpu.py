"""Playing moves out on a GPU, for `decisions.py`: a net with a short search plays all seats of many games at once."""

import time
from typing import Any, NamedTuple

import numpy as np
import torch

from cabochon.learn.device import Device
from cabochon.learn.net.model import Model
from cabochon.learn.net.selfplay import MAX_DECISIONS, BatchedSearch, best_edge_with, max_root_visits, new_games
from cabochon.rules.compile import inlined
from cabochon.rules.play import play
from cabochon.rules.rng import seeded, stir
from cabochon.rules.state import OVER
from cabochon.ruleset import blank_states, ruleset
from cabochon.search.determinize import determinize, shuffle_decks
from cabochon.search.linear_eval import terminal_values
from cabochon.search.models.net import load_net
from cabochon.search.tree import NO_EDGE, proven_best_edge, tree_at

CHECK_EVERY = 32  # steps between two looks at how far it is
UNKNOWN = -1


class Jobs(NamedTuple):
    """Games to play out: for every number of a job a position and a move; each thread takes every `threads`-th one."""

    states: Any
    positions: Any
    actions: Any
    results: Any  # twice the share of the win of the seat that chose; UNKNOWN while it is
    now: Any  # the job of each thread


@inlined
def load_job(i: int, games: Any, jobs: Jobs, pairs: int) -> None:
    """A thread's next game: the position with new decks and hidden cards, the same for all moves, and the move played."""
    job = jobs.now[i]
    if job >= jobs.results.shape[0]:
        return
    sample, pair = job // pairs, job % pairs
    position = jobs.positions[pair]
    games.states[i] = jobs.states[position]
    state, random = games.states[i], seeded(sample * 1_000_003 + position)
    determinize(state, random)
    shuffle_decks(state, stir(random))
    games.rngs[i] = stir(stir(random))
    games.decisions[i] = 0
    play(state, jobs.actions[pair])


@inlined
def begin_job_one(i: int, games: Any, jobs: Jobs, pairs: int) -> None:
    """The first game of a thread."""
    jobs.now[i] = i
    load_job(i, games, jobs, pairs)


@inlined
def advance_job_one(i: int, trees: Any, games: Any, noise: Any, jobs: Jobs, pairs: int, max_decisions: int, threads: int) -> None:
    """Play what was found best; where the game is over write the result and load the next."""
    job = jobs.now[i]
    if job >= jobs.results.shape[0]:
        return
    state, tree = games.states[i], tree_at(trees, i)
    if state.stage != OVER:
        best = proven_best_edge(tree)
        if best == NO_EDGE:
            best = best_edge_with(tree, noise[i], max_root_visits(tree))
        play(state, tree.edges[best].action)
        games.decisions[i] += 1
    if state.stage == OVER or games.decisions[i] >= max_decisions:
        terminal_values(state, tree.values)
        jobs.results[job] = int(2 * tree.values[jobs.states[jobs.positions[job % pairs]].turn] + 0.5)
        jobs.now[i] = job + threads
        load_job(i, games, jobs, pairs)


def play_out(states: Any, pairs: list[tuple[int, int]], bank: dict[str, Any], options: Any) -> Any:
    """The results, moves x playouts; NaN where there was no time left."""
    device, players, threads = Device(options.device), bank["players"], options.games
    model = Model.from_net(load_net(bank["variant"], players, options.nets)).to(device.name)
    model = model.to(torch.bfloat16 if device.is_gpu else torch.float32).requires_grad_(requires_grad=False)
    games = new_games(device, blank_states(ruleset(bank["variant"], players, {}), threads))
    search = BatchedSearch(device, model, games, players, options.simulations)
    count = len(pairs)
    jobs = Jobs(
        device.upload(states),
        torch.tensor([position for position, _ in pairs], device=device.name),
        torch.tensor([action for _, action in pairs], device=device.name),
        torch.full((count * options.playouts,), UNKNOWN, dtype=torch.int8, device=device.name),
        device.zeros(threads, dtype=torch.int64),
    )
    device.for_each(begin_job_one, threads, games, jobs, count)
    advance = device.launcher(
        advance_job_one, threads, search.trees, games, search.noise, jobs, count, MAX_DECISIONS[players], threads
    )
    start, step = time.perf_counter(), 0
    while True:
        search.run()
        advance()
        step += 1
        if step % CHECK_EVERY == 0:
            left, seconds = int((jobs.results == UNKNOWN).sum()), time.perf_counter() - start
            print(f"{seconds:.0f} s, {step} steps, {left:,} of {len(jobs.results):,} games left", flush=True)
            if left == 0 or seconds > options.seconds:
                break
    results = jobs.results.cpu().numpy().reshape(options.playouts, count)
    print(f"{(results != UNKNOWN).sum() / count:.0f} playouts of each of {count} moves in {time.perf_counter() - start:.0f} s")
    return np.where(results == UNKNOWN, np.nan, results.astype(np.float32) / 2).T
