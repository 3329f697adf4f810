"""English."""

from __future__ import annotations

from iris_router.language import Language, NormalWords
from iris_router.scopes_words import load_scope_words


def build_english() -> Language:
    """Return the English tables."""
    return Language(normal=_normal_words(), scopes=load_scope_words("en"))


def _normal_words() -> NormalWords:
    return NormalWords(
        tokens={
            "whats": "what is",
            "wheres": "where is",
            "whens": "when is",
            "whos": "who is",
            "hows": "how is",
            "thats": "that is",
            "it's": "it is",
            "he's": "he is",
            "she's": "she is",
            "theres": "there is",
            "let's": "let us",
            "lets": "let us",
            "im": "i am",
            "ive": "i have",
            "youre": "you are",
            "dont": "do not",
            "doesnt": "does not",
            "didnt": "did not",
            "isnt": "is not",
            "arent": "are not",
            "havent": "have not",
            "can't": "can not",
            "cant": "can not",
            "cannot": "can not",
            "won't": "will not",
            "wont": "will not",
            "u": "you",
            "ur": "your",
            "e-mail": "email",
            "e-mails": "emails",
            "to-do": "todo",
            "to-dos": "todos",
            "o'clock": "oclock",
            "gonna": "going to",
            "wanna": "want to",
            "gotta": "have to",
        },
        endings={"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would"},
        fillers=frozenset({"please", "pls", "kindly", "um", "uh", "er"}),
        openings=(
            r"(?:hey|hi|hello|ok|okay|yo|so|well|now|then|and) (?:there )?(?:iris )?(?!iris$)",
            r"iris ",
            r"(?:would you mind|do you mind|is it possible to|are you able to) ",
            r"(?:can|could|would|will) you (?:just |maybe |quickly |help me to )?",
            r"i (?:want|need|would like) you to ",
            r"(?:go ahead and|do me a favou?r and|i am asking you to) ",
            r"(?:tell me|let me know|do you know|remind me) (?=wh\w+ |how |if )",
            r"i (?:want|need|would like) to know (?=wh\w+ |how |if )",
        ),
        closings=(" thanks", " thank you", " iris", " for me", " will you", " if you can"),
    )
