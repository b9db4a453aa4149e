"""Learning from games: the weights of the evaluation, and later the nets."""
