"""MaskablePPO (sb3-contrib) learns to beat greedy, on a CPU, in minutes; prints its progress and draws the curve.

It first imitates games of greedy against itself, then plays against greedy and improves by what it wins.

pip install -e ".[envs,ppo]" && python examples/learn_with_ppo.py --picture curve.png
"""

import argparse
import time
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

import cabochon
from cabochon.bots.greedy import greedy_actions
from cabochon.envs.episodes import reward_of
from cabochon.envs.stable_baselines import SplendorVecEnv
from cabochon.observation import CARD, CARD_SIZE, SCALE, SEAT, TILE, action_masks, by_name, fields
from cabochon.rules.actions import TAKEN
from cabochon.rules.gems import unpack
from cabochon.rules.state import MARKET_SIZE, MAX_RESERVED, MAX_TILES, OVER

Pieces = dict[str, Any]
STRAY = 0.1  # the share of random moves in the games to imitate, so that mistakes are seen too
WON = 0.0  # a reward above this is a win of a two-player game
CARDS = MARKET_SIZE + MAX_RESERVED  # those in the market, then the own reserve
CHANGES = np.concatenate(  # of the five colours and wild: by a take, by a return, and by the wild token of a reservation
    [[unpack(taken)[:6] for taken in TAKEN], -np.eye(6, dtype=int), np.eye(6, dtype=int)[5:]]
)
STEPS = (-1, 0, 1, 2)  # by which one of them changes a colour
WISHES, WAYS_TO_BE_NEAR = 8, 4


def two_layers(inputs: int, width: int, outputs: int) -> torch.nn.Sequential:
    """A small net."""
    return torch.nn.Sequential(torch.nn.Linear(inputs, width), torch.nn.ReLU(), torch.nn.Linear(width, outputs))


class Prospects(BaseFeaturesExtractor):
    """What every action leads to: two scores for each card, one for each change of tokens, and the whole row in brief.

    One small net judges every card wherever it lies, with what its bonus would do for other cards and the tiles. A change of
    tokens is judged by how near it brings each card.
    """

    def __init__(self, space: spaces.Box, brief: int = 96, colour: int = 8, card: int = 32) -> None:
        super().__init__(space, 2 * CARDS + len(CHANGES) + brief)
        self.register_buffer("changes", torch.as_tensor(CHANGES).float())
        steps = torch.nn.functional.one_hot(torch.as_tensor(CHANGES[:, :5]) - STEPS[0], len(STEPS))
        self.register_buffer("steps", steps.float().flatten(1).T)
        self.brief = torch.nn.Sequential(two_layers(int(np.prod(space.shape)), brief, brief), torch.nn.ReLU())
        self.colour = torch.nn.Sequential(two_layers(5 + 4 * MAX_TILES, 32, colour), torch.nn.ReLU())
        self.face, self.context = torch.nn.Linear(CARD_SIZE + 5 + 1 + colour, 64), torch.nn.Linear(brief, 64)
        self.card = torch.nn.Sequential(torch.nn.ReLU(), two_layers(64, card, card), torch.nn.ReLU())
        self.scores, self.wishes = torch.nn.Linear(card, 2), torch.nn.Linear(card, WISHES * WAYS_TO_BE_NEAR)
        self.change = two_layers(WISHES + 3, 32, 1)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Numbers for the policy and the value."""
        table = by_name(rows, fields(2))
        seats = by_name(table["seats"], SEAT)
        cards = torch.cat([table["market"], seats["reserve"][:, 0]], dim=1)
        price = (by_name(cards, CARD)["cost"] - seats["bonuses"][:, :1]).relu()
        brief = self.brief(rows / SCALE)
        judged = self.judge(seats, cards, price, self.uses(table, seats, cards, price), brief)
        return torch.cat([self.scores(judged).flatten(1), self.reach(table, seats, price, judged), brief], dim=1)

    def uses(self, table: Pieces, seats: Pieces, cards: torch.Tensor, price: torch.Tensor) -> torch.Tensor:
        """What one more bonus of each colour would do."""
        tiles, points = by_name(table["tiles"], TILE), by_name(cards, CARD)["points"]
        own, rivals = (((tiles["demand"] - seats["bonuses"][:, seat, None]).relu() * tiles["open"]) for seat in (0, 1))
        asked = [own, rivals, *((short > 0) * short.sum(2, keepdim=True) for short in (own, rivals))]
        cheaper = [price.sum(1), ((price > 0) * (1 + points)).sum(1)]
        held = [seats["bonuses"][:, 0], seats["bonuses"][:, 1], seats["tokens"][:, 0, :5]]
        return self.colour(torch.cat([torch.stack(held + cheaper, dim=2), torch.cat(asked, dim=1).mT], dim=2) / SCALE)

    def judge(
        self, seats: Pieces, cards: torch.Tensor, price: torch.Tensor, uses: torch.Tensor, brief: torch.Tensor
    ) -> torch.Tensor:
        """What to think of each card; nothing of a place without one."""
        faces, tokens = by_name(cards, CARD), seats["tokens"][:, 1, None]
        rivals_price = (faces["cost"] - seats["bonuses"][:, 1:]).relu()
        rival_lacks = ((rivals_price - tokens[:, :, :5]).relu().sum(2, keepdim=True) - tokens[:, :, 5:6]).relu()
        known = torch.cat([cards / SCALE, price / SCALE, rival_lacks / SCALE, faces["bonus"] @ uses], dim=2)
        return self.card(self.face(known) + self.context(brief)[:, None]) * faces["tier"].amax(2, keepdim=True)

    def reach(self, table: Pieces, seats: Pieces, price: torch.Tensor, judged: torch.Tensor) -> torch.Tensor:
        """How good each change of tokens is: how many it leaves missing for each card, and how many are to be returned."""
        tokens, wild = seats["tokens"][:, 0, None, :5], seats["tokens"][:, 0, 5:6] + self.changes[:, 5]
        short = torch.stack([(price - tokens - step).relu() for step in STEPS], dim=3).flatten(2)
        missing = (short @ self.steps - wild[:, None]).relu()
        near = torch.stack([0.6**missing, 0.3**missing, missing == 0, missing <= 1], dim=2).flatten(1, 2)
        wishes = self.wishes(judged).reshape(len(price), CARDS * WAYS_TO_BE_NEAR, WISHES).mT @ near
        count = seats["token_count"][:, 0] + self.changes.sum(1)
        after = torch.stack([count, (count - table["token_limit"]).relu(), wild], dim=1) / SCALE
        return self.change(torch.cat([wishes, after], dim=1).mT).squeeze(2)


def tables_of(count: int) -> SplendorVecEnv:
    """Games against greedy. The numbers stay as they are: the net above computes with them."""
    return SplendorVecEnv(count, scale=1.0, opponents="greedy")


def games_of_greedy(count: int, seed: int = 1) -> tuple[Any, Any, Any, Any]:
    """What greedy sees, may do and does in games against itself with a few random moves, and how the seat fared in the end."""
    states, rng = cabochon.deal("classic", 2, seed + np.arange(count)), np.random.default_rng(seed)
    seen: list[tuple[Any, ...]] = []
    while len(going := np.flatnonzero(states["stage"] != OVER)):
        now = states[going]
        masks, actions = action_masks(now), greedy_actions(now, rng.integers(0, 1 << 62, len(going)))
        seen.append((cabochon.observe(now), masks, actions, going, now["turn"].copy()))
        stray = (rng.random(masks.shape) * masks).argmax(axis=1)
        cabochon.play(now, np.where(rng.random(len(going)) < STRAY, stray, actions))
        states[going] = now
    result = np.array([[reward_of(state, seat) for seat in (0, 1)] for state in states])
    rows, legal, actions, games, seats = (np.concatenate(part) for part in zip(*seen, strict=True))
    return rows, legal, actions, result[games, seats]


def imitate(model: MaskablePPO, games: int, epochs: int, batch: int = 256) -> None:
    """The policy learns greedy's choices, the value the results of its games."""
    rows, legal, actions, results = games_of_greedy(games)
    print(f"imitating {len(rows):,} decisions of greedy", flush=True)
    optimizer = torch.optim.Adam(model.policy.parameters(), lr=1e-3)
    slower = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * -(-len(rows) // batch))
    for epoch in range(epochs):
        order, chance = np.random.default_rng(epoch).permutation(len(rows)), 0.0
        for at in range(0, len(order), batch):
            part = order[at : at + batch]
            shown, chosen = torch.as_tensor(rows[part]).float(), torch.as_tensor(actions[part])
            values, log_prob, _ = model.policy.evaluate_actions(shown, chosen, action_masks=legal[part].astype(bool))
            wanted = torch.as_tensor(results[part]).float()
            loss = -log_prob.mean() + 0.5 * torch.nn.functional.mse_loss(values.flatten(), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            slower.step()
            chance += float(log_prob.detach().exp().sum())
        print(f"epoch {epoch + 1}: greedy's move has a chance of {chance / len(order):.0%}", flush=True)


def share_won(model: MaskablePPO, games: int, seed: int = 1_000_000) -> float:
    """The share of games won (a shared victory counts half); each of many tables plays its first games to their end."""
    tables = tables_of(games)
    tables.seed(seed)
    observations, result = tables.reset(), np.full(games, np.nan)
    while np.isnan(result).any():
        actions, _ = model.predict(observations, action_masks=tables.action_masks(), deterministic=True)
        tables.step_async(actions)
        observations, rewards, ended, _ = tables.step_wait()
        first = ended & np.isnan(result)
        result[first] = (rewards[first] > WON) + 0.5 * (rewards[first] == WON)
    return float(result.mean())


class Curve(BaseCallback):
    """Plays test games now and then, and stops when the time is up."""

    def __init__(self, minutes: float, every: int, games: int) -> None:
        super().__init__()
        self.minutes, self.every, self.games, self.next = minutes, every, games, 0
        self.points: list[tuple[float, int, float]] = []

    def _on_training_start(self) -> None:
        self.start = time.monotonic()

    def _on_step(self) -> bool:
        spent = (time.monotonic() - self.start) / 60
        if self.num_timesteps >= self.next or spent > self.minutes:
            self.next += self.every
            self.points.append((spent, self.num_timesteps, share_won(self.model, self.games)))
            print(
                f"{spent:5.1f} min {self.num_timesteps:>10,} decisions: wins {self.points[-1][2]:.1%} against greedy", flush=True
            )
        return spent <= self.minutes


def draw(points: list[tuple[float, int, float]], file: str) -> None:
    """The curve as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=110)
    axes.plot([decisions / 1e6 for _, decisions, _ in points], [100 * won for *_, won in points], color="#1E8A5A")
    axes.axhline(50, color="#b08d3c", linewidth=1)
    axes.set(xlabel="decisions of the learner, millions", ylabel="games won against greedy, %", ylim=(0, 100))
    axes.set_title(f"MaskablePPO after imitating greedy: {points[-1][0]:.0f} minutes of practice on a CPU")
    figure.tight_layout()
    figure.savefig(file)


def main() -> None:
    """Learn, test, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=15, help="of practice against greedy")
    parser.add_argument("--greedy-games", type=int, default=6000, help="to imitate before")
    parser.add_argument("--tables", type=int, default=512)
    parser.add_argument("--every", type=int, default=100_000, help="decisions between tests")
    parser.add_argument("--games", type=int, default=1000, help="in each test")
    parser.add_argument("--picture", help="a PNG file for the curve")
    parser.add_argument("--model", help="a file to save what was learned")
    said = parser.parse_args()
    model = MaskablePPO(
        "MlpPolicy",
        tables_of(said.tables),
        n_steps=max(1, 16384 // said.tables),
        batch_size=2048,
        n_epochs=4,
        learning_rate=2e-4,
        gamma=0.999,
        ent_coef=0.003,
        target_kl=0.03,
        policy_kwargs={"features_extractor_class": Prospects, "net_arch": {"pi": [], "vf": [64]}, "ortho_init": False},
        seed=1,
        device="cpu",
    )
    imitate(model, said.greedy_games, epochs=4)
    curve = Curve(said.minutes, said.every, said.games)
    model.learn(1_000_000_000, callback=curve)
    print(f"wins {share_won(model, 2000, seed=5_000_000):.1%} of 2000 new games against greedy")
    if said.picture:
        draw(curve.points, said.picture)
    if said.model:
        model.save(said.model)


if __name__ == "__main__":
    main()
