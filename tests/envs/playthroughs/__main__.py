"""Write the recorded games anew."""

from open_spiel.python.algorithms import generate_playthrough  # type: ignore[import-untyped]

import cabochon.envs.openspiel  # noqa: F401  registers the games

from . import FOLDER, GAMES

for seed, (stem, game) in enumerate(GAMES.items()):
    text = generate_playthrough.playthrough(game, action_sequence=None, seed=seed)
    (FOLDER / f"{stem}.txt").write_text(text)
    print(stem)
