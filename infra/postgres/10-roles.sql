-- Run once by the PostgreSQL image, as its superuser, when the volume is empty: two roles and the database.
-- The owner migrates and owns the tables; the application owns nothing, and row-level security holds it.
-- Passwords come from files and pass through no command line.
\set ON_ERROR_STOP on
\getenv folder SECRETS_FOLDER
\if :{?folder}
\else
  \set folder /run/secrets
\endif
\set owner_password `cat :'folder'/owner_password`
\set application_password `cat :'folder'/application_password`

CREATE ROLE stowage_owner
  LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'owner_password';
CREATE ROLE stowage_app
  LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'application_password';
CREATE DATABASE stowage OWNER stowage_owner;
REVOKE ALL ON DATABASE stowage FROM PUBLIC;
GRANT CONNECT ON DATABASE stowage TO stowage_app;
