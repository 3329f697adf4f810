"""Writing to sources: plan a change, show it, make it whole or not at all, take it back.

`text` replaces pieces of a resource and nothing else; `stores` and `atomic` put the result where
it belongs; `todotxt`, `vtodos` and `vevents` plan what a piece becomes; `blocks` keeps a calendar
of the plan's blocks. See docs/adr/0016.
"""
