"""Jobs on the page: all of them, one with its graph, and what can be done with it."""
