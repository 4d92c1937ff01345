"""`catalogue` becomes `catalog`, in tables, columns, constraints, indexes and comments; no row changes."""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

# Policies, grants and foreign keys refer to objects by number, so they follow.
_RENAMED = """
DO $$
DECLARE one record;
BEGIN
    FOR one IN
        SELECT attrelid::regclass AS relation, attname AS name
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
          AND attname ~ '{old}' AND NOT attisdropped
    LOOP
        EXECUTE format('ALTER TABLE %s RENAME COLUMN %I TO %I', one.relation, one.name,
                       replace(one.name, '{old}', '{new}'));
    END LOOP;
    FOR one IN
        SELECT conrelid::regclass AS relation, conname AS name FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND conname ~ '{old}'
    LOOP
        EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', one.relation, one.name,
                       replace(one.name, '{old}', '{new}'));
    END LOOP;
    FOR one IN
        SELECT relname AS name, CASE relkind WHEN 'i' THEN 'INDEX' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind
        FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('i', 'S', 'r') AND relname ~ '{old}'
    LOOP
        EXECUTE format('ALTER %s %I RENAME TO %I', one.kind, one.name, replace(one.name, '{old}', '{new}'));
    END LOOP;
    FOR one IN
        SELECT objoid::regclass AS relation, attname AS name, replace(description, '{old}', '{new}') AS text
        FROM pg_description JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid
        WHERE classoid = 'pg_class'::regclass AND description ~ '{old}'
    LOOP
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', one.relation, one.name, one.text);
    END LOOP;
END $$
"""


def upgrade() -> None:
    """Rename `catalogue` to `catalog`."""
    op.execute(_RENAMED.format(old="catalogue", new="catalog"))


def downgrade() -> None:
    """Rename `catalog` back."""
    # Not pg_catalog's names, which are in another schema.
    op.execute(_RENAMED.format(old="catalog", new="catalogue"))
