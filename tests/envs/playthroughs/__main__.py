"""Write the recorded games anew."""

from open_spiel.python.algorithms import generate_playthrough  # type: ignore[import-untyped]

from cabochon.envs import openspiel

from . import FOLDER, GAMES

assert openspiel.EVENT_COUNT < 256
for seed, (stem, game) in enumerate(GAMES.items()):
    text = generate_playthrough.playthrough(game, action_sequence=None, seed=seed)
    (FOLDER / f"{stem}.txt").write_text(text)
    print(stem)
