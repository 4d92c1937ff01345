import { Link } from "@tanstack/react-router";

/** Render a notice for signed-in people without a team. */
export function NoTeam() {
  return (
    <section className="card">
      <h1 style={{ margin: "0 0 8px", fontSize: "var(--mantine-font-size-xl)" }}>You are in no team</h1>
      <p>
        The team that you were in is no more, or you are in it no more. An owner of a team can invite you; the link of
        the invitation leads in.
      </p>
      <p style={{ marginBottom: 0 }}>
        Until then you can look at{" "}
        <Link to="/plans" search={{ team: "example" }}>
          the example team
        </Link>
        , and at <Link to="/settings/account">your account</Link>.
      </p>
    </section>
  );
}
