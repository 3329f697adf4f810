"""vCard 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350), as address books really write it.

`cards` cuts a file into cards, `lines` reads the content lines of one, `dates` its birthdays and
anniversaries, `people` makes the contact. vobject was tried first: a card without its END costs it
the whole file, and a folded quoted-printable value the rest of its card.
"""
