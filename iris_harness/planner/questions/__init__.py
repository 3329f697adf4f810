"""Questions about days that want an answer and no plan: what is asked, and the answer to it."""
