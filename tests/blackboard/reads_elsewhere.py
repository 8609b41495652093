"""Another program: reads, by name, the stored values that stand on its input, and says which of them are not equal."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from stored_values import TYPES, VALUES

from planboard.blackboard.codec import Codec, from_text
from planboard.blackboard.integrity import same
from planboard.blackboard.registry import TypeRegistry

if __name__ == "__main__":
    codec = Codec(TypeRegistry(TYPES))
    texts = json.load(sys.stdin)
    wrong = [name for name, text in texts.items() if not same(codec.decode(from_text(text)), VALUES[name])]
    json.dump({"read": len(texts), "wrong": wrong}, sys.stdout)
