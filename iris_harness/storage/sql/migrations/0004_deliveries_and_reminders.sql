CREATE TABLE schedules (          -- briefings, as the ticker knows them
    name TEXT NOT NULL PRIMARY KEY,
    timetable TEXT NOT NULL,      -- as it is written in the settings
    since TEXT NOT NULL           -- what was to be said before this was said, missed, or never wanted
) WITHOUT ROWID;

CREATE TABLE reminders (
    reminder_id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('reminder', 'timer')),
    title TEXT NOT NULL,
    first_at TEXT NOT NULL,       -- ISO 8601 with the offset of the zone of the user
    rule TEXT NOT NULL,           -- RFC 5545 RRULE; empty: once
    state TEXT NOT NULL CHECK (state IN ('active', 'over', 'cancelled')),
    next_at TEXT,                 -- when it is said next; NULL when it never is again
    made_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,     -- when it became what it is: active, over or cancelled
    resumed_at TEXT               -- when it was last taken back that it is cancelled; NULL: never
) WITHOUT ROWID;

CREATE INDEX reminders_due ON reminders (next_at) WHERE state = 'active';

CREATE TABLE deliveries (         -- one thing to be said, once, by one channel
    delivery_key TEXT NOT NULL PRIMARY KEY, -- briefing:NAME:DAY:CHANNEL, reminder:ID:INSTANT:CHANNEL, timer:…
    kind TEXT NOT NULL CHECK (kind IN ('briefing', 'reminder', 'timer')),
    name TEXT NOT NULL,           -- the schedule, or the id of the reminder
    channel TEXT NOT NULL,
    planned_for TEXT NOT NULL,    -- the day, YYYY-MM-DD, in the zone of the user
    due_at TEXT NOT NULL,
    title TEXT NOT NULL,          -- what a reminder is about; empty for a briefing
    state TEXT NOT NULL CHECK (
        state IN ('due', 'claimed', 'delivered', 'failed', 'uncertain', 'missed', 'cancelled')
    ),
    attempts INTEGER NOT NULL,    -- how often it was claimed
    not_before TEXT NOT NULL,     -- of one that is due: not to be tried before this
    changed_at TEXT NOT NULL,
    detail TEXT NOT NULL,         -- the receipt, or the reason
    content TEXT NOT NULL         -- what was said, where Iris itself shows it; otherwise empty
) WITHOUT ROWID;

CREATE INDEX deliveries_open ON deliveries (state, not_before) WHERE state IN ('due', 'claimed');
CREATE INDEX deliveries_by_age ON deliveries (changed_at);
