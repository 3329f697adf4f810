Every statement of the index. A name may be read as a sentence of what it does.

-- name: create_tables
CREATE TABLE stamp (text TEXT NOT NULL);
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    generation INTEGER NOT NULL DEFAULT 0, -- grows with each change of what its files hold
    used_on INTEGER NOT NULL DEFAULT 0,    -- day number
    manifest BLOB NOT NULL DEFAULT x''     -- see manifest.py
);
CREATE TABLE file (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    name TEXT NOT NULL,
    digest BLOB NOT NULL,                  -- of its bytes
    context INTEGER NOT NULL,
    UNIQUE (source, name)
);
CREATE TABLE context (                     -- what the components of a file have around them
    id INTEGER PRIMARY KEY,
    payload TEXT NOT NULL UNIQUE,
    checksum INTEGER NOT NULL
);
CREATE TABLE component (                   -- VEVENTs
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    file INTEGER NOT NULL,
    number INTEGER NOT NULL,               -- its place in the file
    owner INTEGER NOT NULL,                -- digest of folder and UID: what is read together
    line INTEGER NOT NULL,
    calendar INTEGER NOT NULL,
    closed INTEGER NOT NULL,
    first_on INTEGER,                      -- day numbers between which it certainly is,
    last_on INTEGER,                       -- or NULL: it may be at any time
    checksum INTEGER NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX component_of_owner ON component (source, owner);
CREATE INDEX component_of_file ON component (file);
CREATE TABLE listing (                     -- see listing.py
    source INTEGER NOT NULL,
    zone TEXT NOT NULL,
    day INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (source, zone, day)
) WITHOUT ROWID;
CREATE TABLE changed (                     -- owners that listings before a generation misjudge
    source INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    owner INTEGER NOT NULL
);

-- name: find_tables
SELECT name FROM sqlite_master WHERE type = 'table';

-- name: find_stamp
SELECT text FROM stamp;

-- name: write_stamp
INSERT INTO stamp (text) VALUES (:text);

-- name: find_source
SELECT id, generation, manifest FROM source WHERE key = :key;

-- name: add_source
INSERT INTO source (key) VALUES (:key);

-- name: write_source
UPDATE source SET generation = :generation, used_on = :used_on, manifest = :manifest
WHERE id = :source;

-- name: find_unused_sources
SELECT id FROM source WHERE used_on < :used_before AND id <> :source;

-- name: forget_source
DELETE FROM source WHERE id = :source;

-- name: forget_files
DELETE FROM file WHERE source = :source;

-- name: forget_components
DELETE FROM component WHERE source = :source;

-- name: forget_listings
DELETE FROM listing WHERE source = :source;

-- name: forget_changes
DELETE FROM changed WHERE source = :source;

-- name: find_file
SELECT id, digest, context FROM file WHERE source = :source AND name = :name;

-- name: find_last_file
SELECT coalesce(max(id), 0) FROM file;

-- name: write_file
INSERT INTO file (id, source, name, digest, context)
VALUES (:id, :source, :name, :digest, :context);

-- name: remove_file
DELETE FROM file WHERE id = :file;

-- name: find_context
SELECT id FROM context WHERE payload = :payload;

-- name: add_context
INSERT INTO context (payload, checksum) VALUES (:payload, :checksum);

-- name: list_contexts
SELECT id, payload, checksum FROM context;

-- name: write_component
INSERT INTO component (
    source, file, number, owner, line, calendar, closed, first_on, last_on, checksum, body
) VALUES (
    :source, :file, :number, :owner, :line, :calendar, :closed, :first_on, :last_on, :checksum,
    :body
);

-- name: list_components_of_file
SELECT owner, calendar, closed, body FROM component WHERE file = :file ORDER BY number;

-- name: remove_components_of_file
DELETE FROM component WHERE file = :file;

-- name: list_components_near
-- Those that may be in the days asked for. What shares its owner with another one may be at any
-- time: which of them counts is for the reader to say.
SELECT file.name, file.context, component.number, component.owner, component.line,
    component.calendar, component.closed, component.checksum, component.body
FROM component JOIN file ON file.id = component.file
WHERE component.source = :source AND (
    component.first_on IS NULL
    OR (component.first_on <= :last_on AND component.last_on >= :first_on)
    OR EXISTS (
        SELECT 1 FROM component AS other
        WHERE other.source = component.source AND other.owner = component.owner
        AND other.id <> component.id
    )
);

-- name: list_components_of_owner
SELECT file.name, file.context, component.number, component.owner, component.line,
    component.calendar, component.closed, component.checksum, component.body
FROM component JOIN file ON file.id = component.file
WHERE component.source = :source AND component.owner = :owner;

-- name: list_listings
SELECT generation, checksum, payload FROM listing
WHERE source = :source AND zone = :zone AND day BETWEEN :first_on AND :last_on ORDER BY day;

-- name: write_listing
INSERT OR REPLACE INTO listing (source, zone, day, generation, checksum, payload)
VALUES (:source, :zone, :day, :generation, :checksum, :payload);

-- name: count_listed_bytes
SELECT coalesce(sum(length(payload)), 0) FROM listing WHERE source = :source;

-- name: add_change
INSERT INTO changed (source, generation, owner) VALUES (:source, :generation, :owner);

-- name: count_changes
SELECT count(*) FROM changed WHERE source = :source;

-- name: list_changes
SELECT DISTINCT owner FROM changed WHERE source = :source AND generation > :generation;
