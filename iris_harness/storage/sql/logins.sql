Every statement of logins.

-- name: save_login
INSERT INTO logins (digest, kind, gate, conversation, expires_at)
VALUES (:digest, :kind, :gate, :conversation, :expires_at);

-- name: find_login
SELECT * FROM logins WHERE digest = :digest;

-- name: take_login
DELETE FROM logins WHERE digest = :digest AND kind = :kind RETURNING *;

-- name: set_conversation
UPDATE logins SET conversation = :conversation WHERE digest = :digest;

-- name: delete_logins_before
DELETE FROM logins WHERE expires_at <= :before;

-- name: delete_all_logins
DELETE FROM logins;
