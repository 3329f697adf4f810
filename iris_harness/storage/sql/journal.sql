Every statement of the journal, the marks of days and the numbers of the last listing.

-- name: begin_entry
INSERT INTO journal (
    begun_at, session, kind, preview, outcome, target, payload, undoable, undoes, state, detail
) VALUES (
    :begun_at, :session, :kind, :preview, :outcome, :target, :payload, :undoable, :undoes,
    'intended', ''
)
RETURNING entry_id;

-- name: end_entry
UPDATE journal
SET state = :state, detail = :detail, payload = :payload, ended_at = :ended_at
WHERE entry_id = :entry_id AND state = 'intended'
RETURNING undoes;

-- name: set_state
UPDATE journal SET state = :state WHERE entry_id = :entry_id RETURNING undoes;

-- name: get_entry
SELECT * FROM journal WHERE entry_id = :entry_id;

-- name: find_last_done
-- What a plan writes by itself is not what a person means by the last change.
SELECT * FROM journal WHERE state = 'done' AND kind <> 'blocks.write'
ORDER BY entry_id DESC LIMIT 1;

-- name: list_later
SELECT * FROM journal WHERE state = 'done' AND entry_id > :entry_id ORDER BY entry_id DESC;

-- name: list_intended
SELECT * FROM journal WHERE state = 'intended' ORDER BY entry_id;

-- name: list_entries
SELECT * FROM journal ORDER BY entry_id DESC LIMIT :limit;

-- name: export_journal
SELECT * FROM journal ORDER BY entry_id;

-- name: delete_all_journal
DELETE FROM journal;

-- name: delete_journal_before
DELETE FROM journal WHERE begun_at < :before AND state <> 'intended';

-- name: delete_journal_of_session
DELETE FROM journal WHERE session = :session AND state <> 'intended';

-- name: get_marks
SELECT * FROM marks WHERE planned_for = :planned_for ORDER BY source, locator, title;

-- name: put_mark
INSERT INTO marks (planned_for, source, locator, title, kind, spans, made_at)
VALUES (:planned_for, :source, :locator, :title, :kind, :spans, :made_at);

-- name: take_mark
DELETE FROM marks
WHERE planned_for = :planned_for AND source = :source AND locator = :locator AND title = :title;

-- name: find_mark
SELECT * FROM marks
WHERE planned_for = :planned_for AND source = :source AND locator = :locator AND title = :title;

-- name: export_marks
SELECT * FROM marks ORDER BY planned_for, source, locator, title;

-- name: delete_all_marks
DELETE FROM marks;

-- name: delete_marks_before
-- The day may lie in the past of the machine's clock when the mark is made, or long after it.
DELETE FROM marks WHERE made_at < :before AND planned_for < substr(:before, 1, 10);

-- name: put_number
INSERT INTO numbered (number, source, locator, title)
VALUES (:number, :source, :locator, :title);

-- name: list_numbered
SELECT * FROM numbered ORDER BY number;

-- name: delete_numbered
DELETE FROM numbered;
