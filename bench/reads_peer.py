"""A bare FastAPI route with one query by the SQLAlchemy ORM and no session: the peer of `bench/reads.py`.

DATABASE_URL names the database, PERSON the row that each request reads.
"""

import os
from uuid import UUID

from fastapi import FastAPI
from pydantic import BaseModel
from sqlalchemy import create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

app = FastAPI()
engine = create_engine(os.environ["DATABASE_URL"])
person_id = UUID(os.environ["PERSON"])


class Base(DeclarativeBase):
    """Base of the tables."""


class Person(Base):
    """A person, from the table of the product."""

    __tablename__ = "person"

    person_id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str]
    email: Mapped[str | None]


class PersonAnswer(BaseModel):
    """The answer, with the columns that were read."""

    person_id: UUID
    name: str
    email: str | None


@app.get("/me")
def read_me() -> PersonAnswer:
    """Read the person."""
    with Session(engine) as session:
        found = session.get_one(Person, person_id)
        return PersonAnswer(person_id=found.person_id, name=found.name, email=found.email)
