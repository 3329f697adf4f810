-- The newest jobs of an owner as they stand, a row for each state of their workers. SQLite and
-- PostgreSQL both run it. Of the workers that failed the first one tells why: those that waited
-- for it come after it.
SELECT
    newest.id,
    newest.request,
    newest.paused,
    newest.created_at,
    newest.reviewed_at,
    workers.state,
    count(*) AS how_many,
    max(workers.finished_at) AS last_finished_at,
    (
        SELECT failed.reason
        FROM workers AS failed
        WHERE failed.job_id = newest.id AND failed.state = 'failed'
        ORDER BY failed.position
        LIMIT 1
    ) AS why
FROM (
    SELECT id, request, paused, created_at, reviewed_at
    FROM jobs
    WHERE owner = :owner
    ORDER BY created_at DESC, id DESC
    LIMIT :most
) AS newest
JOIN workers ON workers.job_id = newest.id
GROUP BY
    newest.id,
    newest.request,
    newest.paused,
    newest.created_at,
    newest.reviewed_at,
    workers.state
ORDER BY newest.created_at DESC, newest.id DESC, workers.state
