-- Run once by the PostgreSQL image, as its superuser, when the volume is empty: three roles and the database.
-- The owner migrates and owns the tables. The application owns nothing, works for one team at a time, and row-level
-- security restricts it to that team. The auth role identifies users and cannot read what teams plan or measure.
-- Passwords come from files and pass through no command line.
\set ON_ERROR_STOP on
\getenv folder SECRETS_FOLDER
\if :{?folder}
\else
  \set folder /run/secrets
\endif
\set owner_password `cat :'folder'/owner_password`
\set application_password `cat :'folder'/application_password`
\set gate_password `cat :'folder'/gate_password`

CREATE ROLE stowage_owner
  LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'owner_password';
CREATE ROLE stowage_app
  LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'application_password';
CREATE ROLE stowage_gate
  LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'gate_password';
CREATE DATABASE stowage OWNER stowage_owner;
REVOKE ALL ON DATABASE stowage FROM PUBLIC;
GRANT CONNECT ON DATABASE stowage TO stowage_app, stowage_gate;
