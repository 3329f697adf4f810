CREATE TABLE journal (
    entry_id INTEGER PRIMARY KEY AUTOINCREMENT, -- what the user undoes it by; never used again
    begun_at TEXT NOT NULL,
    session TEXT NOT NULL,        -- empty: done outside a conversation
    kind TEXT NOT NULL,           -- todo.add, event.move, …
    preview TEXT NOT NULL,        -- what was to be done, in words
    outcome TEXT NOT NULL,        -- the same, done
    target TEXT NOT NULL,         -- where: the source's name
    payload TEXT NOT NULL,        -- JSON: every change with what was there before and after
    undoable INTEGER NOT NULL CHECK (undoable IN (0, 1)),
    undoes INTEGER REFERENCES journal (entry_id) ON DELETE SET NULL,
    state TEXT NOT NULL CHECK (state IN ('intended', 'done', 'failed', 'undone')),
    detail TEXT NOT NULL,         -- why it failed, or what was found at the next start
    ended_at TEXT                 -- NULL while it is intended
);

CREATE INDEX journal_by_state ON journal (state, entry_id);
CREATE INDEX journal_by_age ON journal (begun_at);

CREATE TABLE marks (
    planned_for TEXT NOT NULL,    -- the day, YYYY-MM-DD
    source TEXT NOT NULL,
    locator TEXT NOT NULL,
    title TEXT NOT NULL,          -- a line of a todo.txt may be another todo tomorrow
    kind TEXT NOT NULL CHECK (kind IN ('pin', 'skip')),
    spans TEXT NOT NULL,          -- JSON: [[start, end], …] in ISO 8601; [] for a skip
    made_at TEXT NOT NULL,
    PRIMARY KEY (planned_for, source, locator, title)
) WITHOUT ROWID;

CREATE TABLE numbered (           -- the todos as they were last listed: what "number 3" means
    number INTEGER NOT NULL PRIMARY KEY,
    source TEXT NOT NULL,
    locator TEXT NOT NULL,
    title TEXT NOT NULL
);
