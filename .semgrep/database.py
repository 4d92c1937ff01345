from sqlalchemy import literal_column, select, text


def of_a_name(connection, name, table):
    # ruleid: sql-put-together-from-text
    connection.execute(text(f"SELECT * FROM plan WHERE name = '{name}'"))
    # ruleid: sql-put-together-from-text
    connection.execute(text("SELECT * FROM plan WHERE name = '" + name + "'"))
    # ruleid: sql-put-together-from-text
    connection.execute(text("SELECT * FROM plan WHERE name = '%s'" % name))
    # ruleid: sql-put-together-from-text
    connection.execute(text("SELECT * FROM {}".format(table)))
    # ruleid: sql-put-together-from-text
    connection.exec_driver_sql(f"SELECT * FROM plan WHERE name = '{name}'")
    # ruleid: sql-put-together-from-text
    select(literal_column(f"'{name}'"))
    # ok: sql-put-together-from-text
    connection.execute(text("SELECT * FROM plan WHERE name = :name"), {"name": name})
    # ok: sql-put-together-from-text
    connection.exec_driver_sql("SELECT * FROM plan WHERE name = %s", (name,))


def all_plans(gate, database, org_id):
    # ruleid: across-teams
    with gate.transaction(None) as connection:
        pass
    # ruleid: across-teams
    with database.transaction(None) as connection:
        pass
    # ok: across-teams
    with database.transaction(org_id) as connection:
        pass


def as_another(connection, org_id):
    # ruleid: tenant-set-by-hand
    connection.execute(text("SELECT set_config('stowage.org_id', :org_id, false)"), {"org_id": org_id})
    # ruleid: tenant-set-by-hand
    connection.execute(text("SET ROLE stowage_gate"))
    # ruleid: tenant-set-by-hand
    connection.execute(text("SET LOCAL row_security = off"))
    # ok: tenant-set-by-hand
    connection.execute(text("SELECT FROM plan"))
