"""Training a net: the model in torch, self-play of many games at once, and the training run."""
