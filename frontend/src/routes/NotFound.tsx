import { Link } from "@tanstack/react-router";

/** An address that leads nowhere, and where to go instead. */
export function NotFound({ what = "There is nothing at this address." }: { what?: string }) {
  return (
    <section className="card">
      <h1 style={{ margin: "0 0 8px", fontSize: "var(--mantine-font-size-xl)" }}>Not found</h1>
      <p>{what}</p>
      <p style={{ marginBottom: 0 }}>
        <Link to="/">Start a plan</Link>, or look through the <Link to="/plans">saved plans</Link>.
      </p>
    </section>
  );
}
