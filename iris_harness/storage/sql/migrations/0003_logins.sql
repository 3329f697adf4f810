CREATE TABLE logins (              -- browsers that may use the page, and links that let one in
    digest TEXT NOT NULL PRIMARY KEY, -- SHA-256 of the secret, which is kept nowhere
    kind TEXT NOT NULL CHECK (kind IN ('link', 'session')),
    gate TEXT NOT NULL,            -- digest of the server's token then: with a new one it ends
    conversation TEXT NOT NULL,    -- the session of its turns; empty for a link
    expires_at TEXT NOT NULL
) WITHOUT ROWID;
