"""The text formats, each a format/parse pair: gems, moves, positions, records."""
