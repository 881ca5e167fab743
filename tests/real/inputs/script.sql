.mode list
CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, born INTEGER, town TEXT);
CREATE INDEX people_town ON people(town, born);
CREATE TABLE visits(person INTEGER REFERENCES people(id), day TEXT, cost REAL CHECK (cost >= 0));
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
INSERT INTO people SELECT i, 'person ' || i, 1940 + i * 37 % 70, 'town ' || i % 9 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO visits SELECT 1 + i * 7 % 120, date('2024-01-01', (i % 200) || ' days'), i * 1.25 FROM n;
COMMIT;
SELECT town, count(*), round(avg(born), 2), min(name) FROM people GROUP BY town ORDER BY 2 DESC, 1;
SELECT p.town, sum(v.cost) FROM people p JOIN visits v ON v.person = p.id WHERE p.born > 1970 GROUP BY p.town HAVING sum(v.cost) > 100 ORDER BY 1;
SELECT name, rank() OVER (PARTITION BY town ORDER BY born) FROM people WHERE id % 11 = 0 ORDER BY name;
UPDATE people SET name = upper(name) WHERE town IN (SELECT town FROM people WHERE born < 1945);
DELETE FROM visits WHERE person NOT IN (SELECT id FROM people WHERE name LIKE 'PERSON%');
SELECT count(*), group_concat(DISTINCT substr(day, 1, 7)) FROM visits;
CREATE TRIGGER no_rename BEFORE UPDATE OF name ON people BEGIN SELECT RAISE(ABORT, 'names stay'); END;
UPDATE people SET name = 'x' WHERE id = 3;
INSERT INTO visits VALUES (1, '2024-02-30', -1);
SAVEPOINT a;
DELETE FROM people WHERE id > 60;
ROLLBACK TO a;
SELECT count(*), json_group_array(born) FROM people WHERE id < 8;
EXPLAIN QUERY PLAN SELECT * FROM people WHERE town = 'town 3' AND born BETWEEN 1950 AND 1980;
PRAGMA integrity_check;
SELECT nonsense FROM nowhere;
