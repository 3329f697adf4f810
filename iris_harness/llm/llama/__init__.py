"""llama.cpp on this machine, in a supervised process of its own.

llama.cpp ends its process with a segmentation fault when two threads use it, and when a grammar is
malformed. So the model lives in a child: `child` is its program, `engines` what runs in it,
`frames` what the two say to each other, `process` keeps it, `model` is the `ChatModel`.
"""

from __future__ import annotations
