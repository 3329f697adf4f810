"""A day told in a model's words, of which none is taken on trust.

`story` is what there is to tell, `sentences` how each part may be said and the grammar of all that,
`check` accepts a text only if every word in it is accounted for, `telling` asks the model and falls
back to Iris' own words.
"""

from __future__ import annotations
