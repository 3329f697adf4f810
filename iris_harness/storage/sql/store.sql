Every statement of the store. A name may be read as a sentence of what it does.

-- name: save_plan
-- The same plan again keeps its first bytes; asked from the configured sources it becomes the
-- plan that was shown for its day.
INSERT INTO plans (
    plan_id, planned_for, timezone, origin, session, made_at, payload, public_json, shown_text
) VALUES (
    :plan_id, :planned_for, :timezone, :origin, :session, :made_at, :payload, :public_json,
    :shown_text
)
ON CONFLICT (plan_id) DO UPDATE SET origin = excluded.origin, made_at = excluded.made_at
WHERE excluded.origin = 'configured';

-- name: find_plan_ids
SELECT plan_id FROM plans WHERE plan_id >= :from_id AND plan_id < :to_id ORDER BY plan_id;

-- name: get_plan
SELECT plan_id, planned_for, timezone, origin, session, made_at, payload, public_json, shown_text
FROM plans WHERE plan_id = :plan_id;

-- name: find_latest_plan
SELECT plan_id, planned_for, timezone, origin, session, made_at, payload, public_json, shown_text
FROM plans WHERE planned_for = :planned_for AND origin = 'configured'
ORDER BY made_at DESC, plan_id DESC LIMIT 1;

-- name: list_plans
SELECT plan_id, planned_for, timezone, origin, session, made_at
FROM plans ORDER BY made_at DESC, plan_id DESC LIMIT :limit;

-- name: list_plans_of_day
SELECT plan_id, planned_for, timezone, origin, session, made_at
FROM plans WHERE planned_for = :planned_for ORDER BY made_at DESC, plan_id DESC LIMIT :limit;

-- name: save_turn
INSERT INTO turns (trace_id, session, asked_at, utterance, trace, reply)
VALUES (:trace_id, :session, :asked_at, :utterance, :trace, :reply);

-- name: get_turn
SELECT trace_id, session, asked_at, utterance, trace, reply
FROM turns WHERE trace_id = :trace_id;

-- name: list_turns
SELECT trace_id, session, asked_at, utterance, trace, reply
FROM turns ORDER BY asked_at DESC, trace_id DESC LIMIT :limit;

-- name: list_turns_of_session
SELECT trace_id, session, asked_at, utterance, trace, reply
FROM turns WHERE session = :session ORDER BY asked_at DESC, trace_id DESC LIMIT :limit;

-- name: export_plans
SELECT plan_id, planned_for, timezone, origin, session, made_at, payload, public_json, shown_text
FROM plans ORDER BY made_at, plan_id;

-- name: export_turns
SELECT trace_id, session, asked_at, utterance, trace, reply
FROM turns ORDER BY asked_at, trace_id;

-- name: delete_all_plans
DELETE FROM plans;

-- name: delete_all_turns
DELETE FROM turns;

-- name: delete_plans_before
DELETE FROM plans WHERE made_at < :before;

-- name: delete_turns_before
DELETE FROM turns WHERE asked_at < :before;

-- name: delete_plans_of_session
DELETE FROM plans WHERE session = :session;

-- name: delete_turns_of_session
DELETE FROM turns WHERE session = :session;
