Every statement of schedules, reminders and deliveries.

-- name: list_schedules
SELECT * FROM schedules ORDER BY name;

-- name: put_schedule
INSERT INTO schedules (name, timetable, since) VALUES (:name, :timetable, :since)
ON CONFLICT (name) DO UPDATE SET timetable = excluded.timetable, since = excluded.since;

-- name: drop_schedule
DELETE FROM schedules WHERE name = :name;

-- name: delete_schedules
DELETE FROM schedules;

-- name: add_delivery
INSERT INTO deliveries (
    delivery_key, kind, name, channel, planned_for, due_at, title, state, attempts, not_before,
    changed_at, detail, content
) VALUES (
    :delivery_key, :kind, :name, :channel, :planned_for, :due_at, :title, :state, 0, :not_before,
    :changed_at, :detail, ''
)
ON CONFLICT (delivery_key) DO NOTHING;

-- name: list_due
-- So many for each channel: one that is slow must not hide what others have to say.
SELECT * FROM (
    SELECT *, row_number() OVER (
        PARTITION BY channel, kind = 'briefing' ORDER BY not_before, delivery_key
    ) AS place
    FROM deliveries WHERE state = 'due' AND not_before <= :now
)
WHERE place <= :limit ORDER BY not_before, delivery_key;

-- name: claim_delivery
UPDATE deliveries SET state = 'claimed', attempts = attempts + 1, changed_at = :now
WHERE delivery_key = :delivery_key AND state = 'due'
RETURNING attempts;

-- name: end_delivery
-- A claim that was found uncertain meanwhile is settled by whoever still held it.
UPDATE deliveries
SET state = :state, detail = :detail, content = :content, not_before = :not_before,
    changed_at = :now
WHERE delivery_key = :delivery_key AND state IN ('claimed', 'uncertain');

-- name: end_unclaimed
UPDATE deliveries SET state = :state, detail = :detail, changed_at = :now
WHERE delivery_key = :delivery_key AND state = 'due';

-- name: reopen_delivery
-- What a person asks for again is due again, unless it is being said at this moment.
UPDATE deliveries SET state = 'due', not_before = :now, attempts = 0, changed_at = :now
WHERE delivery_key = :delivery_key
AND (state IN ('due', 'failed', 'missed') OR :again AND state <> 'claimed');

-- name: settle_claims
UPDATE deliveries SET state = 'uncertain', detail = :detail, changed_at = :now
WHERE state = 'claimed'
RETURNING delivery_key;

-- name: get_delivery
SELECT * FROM deliveries WHERE delivery_key = :delivery_key;

-- name: list_deliveries
SELECT * FROM deliveries ORDER BY changed_at DESC, delivery_key LIMIT :limit;

-- name: list_changed
SELECT * FROM deliveries WHERE changed_at >= :since ORDER BY changed_at, delivery_key;

-- name: list_shown
-- What a page of Iris' own shows, newest first.
SELECT * FROM deliveries WHERE state = 'delivered' AND content <> '' AND changed_at >= :since
ORDER BY changed_at DESC, delivery_key LIMIT :limit;

-- name: list_unsaid
-- What of a schedule was not said, or perhaps not, since it was last said.
SELECT * FROM deliveries AS one
WHERE kind = 'briefing' AND name = :name AND state IN ('failed', 'uncertain', 'missed')
AND changed_at > coalesce((
    SELECT max(changed_at) FROM deliveries
    WHERE kind = 'briefing' AND name = :name AND state = 'delivered'
), '')
ORDER BY planned_for, channel;

-- name: find_last_ring
-- The reminder or timer that was said last.
SELECT * FROM deliveries WHERE kind <> 'briefing' AND state = 'delivered' AND changed_at >= :since
ORDER BY changed_at DESC, delivery_key LIMIT 1;

-- name: export_deliveries
SELECT * FROM deliveries ORDER BY changed_at, delivery_key;

-- name: delete_all_deliveries
DELETE FROM deliveries;

-- name: delete_deliveries_before
DELETE FROM deliveries WHERE changed_at < :before AND state NOT IN ('due', 'claimed');

-- name: list_ringing
-- The reminders whose time has come, what has waited longest first.
SELECT * FROM reminders WHERE state = 'active' AND next_at <= :now
ORDER BY next_at, reminder_id LIMIT :limit;

-- name: list_active
SELECT * FROM reminders WHERE state = 'active' ORDER BY next_at, reminder_id;

-- name: get_reminder
SELECT * FROM reminders WHERE reminder_id = :reminder_id;

-- name: advance_reminder
UPDATE reminders SET state = :state, next_at = :next_at, changed_at = :now
WHERE reminder_id = :reminder_id AND state = 'active' AND next_at = :expected
RETURNING reminder_id;

-- name: put_reminder
INSERT INTO reminders (
    reminder_id, kind, title, first_at, rule, state, next_at, made_at, changed_at
) VALUES (
    :reminder_id, :kind, :title, :first_at, :rule, 'active', :next_at, :now, :now
)
ON CONFLICT (reminder_id) DO UPDATE
SET state = 'active', changed_at = excluded.changed_at, resumed_at = excluded.changed_at;

-- name: cancel_reminder
UPDATE reminders SET state = 'cancelled', changed_at = :now WHERE reminder_id = :reminder_id;

-- name: cancel_deliveries
UPDATE deliveries SET state = 'cancelled', changed_at = :now
WHERE kind <> 'briefing' AND name = :reminder_id AND state = 'due';

-- name: export_reminders
SELECT * FROM reminders ORDER BY made_at, reminder_id;

-- name: delete_all_reminders
DELETE FROM reminders;

-- name: delete_reminders_before
DELETE FROM reminders WHERE changed_at < :before AND state <> 'active';
