"""Write the server's messages as one JSON schema (to stdout, or into the file named)."""

import json
import sys
from pathlib import Path

from pydantic.json_schema import models_json_schema

from cabochon.server import daily_messages, messages, review_messages

MODULES = (messages, review_messages, daily_messages)


def schema() -> str:
    """Every message of the contract, in the order of the files."""
    classes = [
        value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, messages.Message) and value.__module__ == module.__name__
    ]
    classes.remove(messages.Message)
    sent = {name for name in (one.__name__ for one in classes) if name.endswith("Out")}
    _, whole = models_json_schema(
        [(one, "serialization" if one.__name__ in sent else "validation") for one in classes],
        title="Messages",
        description="Made by web/scripts/schema.py from cabochon.server.messages.",
    )
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(schema(), encoding="utf-8")
    else:
        sys.stdout.write(schema())
