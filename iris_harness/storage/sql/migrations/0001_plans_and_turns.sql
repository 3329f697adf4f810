-- Instants are UTC text of fixed width (2025-03-01T09:30:00.000000Z), so that they sort as text.

CREATE TABLE plans (
    plan_id TEXT NOT NULL PRIMARY KEY CHECK (length(plan_id) = 64),
    planned_for TEXT NOT NULL,    -- the day, YYYY-MM-DD
    timezone TEXT NOT NULL,       -- IANA name of the zone it was planned in
    origin TEXT NOT NULL CHECK (origin IN ('configured', 'adhoc', 'demo')),
    session TEXT NOT NULL,        -- empty: made outside a conversation
    made_at TEXT NOT NULL,
    payload BLOB NOT NULL,        -- snapshot, preferences and plan: enough to rebuild it
    public_json TEXT NOT NULL,    -- what --json printed
    shown_text TEXT NOT NULL      -- what was printed as plain text
) WITHOUT ROWID;

CREATE INDEX plans_by_day ON plans (planned_for, made_at);
CREATE INDEX plans_by_age ON plans (made_at);

CREATE TABLE turns (
    trace_id TEXT NOT NULL PRIMARY KEY,
    session TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    utterance TEXT NOT NULL,
    trace TEXT NOT NULL,          -- JSON: what each step was given, gave and took
    reply TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX turns_by_session ON turns (session, asked_at);
CREATE INDEX turns_by_age ON turns (asked_at);
