"""Recorded OpenSpiel games; `python -m tests.envs.playthroughs` writes them anew (look at the diff before you commit it)."""

from pathlib import Path

FOLDER = Path(__file__).parent
GAMES = {
    "python_splendor_2": "python_splendor(players=2,turn_limit=24)",
    "python_splendor_3": "python_splendor(players=3,turn_limit=9)",
    "python_splendor_marvel_2": "python_splendor_marvel(players=2,turn_limit=24)",
    "python_splendor_marvel_4": "python_splendor_marvel(players=4,turn_limit=8)",
    "python_splendor_cities_2": "python_splendor_cities(players=2,turn_limit=24)",
}
