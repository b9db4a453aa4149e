"""The learnt models that ship with the package, and how they are read: nets (`net`) and linear weights (`linear`).

A file's name says the game and the numbers of players that it is for: `classic-2.safetensors`, `marvel-3-4.safetensors` (one net
for three and four), `classic-3.npz`.
"""
