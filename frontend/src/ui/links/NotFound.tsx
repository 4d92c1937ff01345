import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/teams/session";

/** Render the page for unknown URLs and for inaccessible objects, which look the same, with links to other pages. */
export function NotFound({ what = "There is nothing at this address." }: { what?: string }) {
  const mayAsk = useMay("plans.ask");
  const mayRead = useMay("plans.read");
  return (
    <section className="card">
      <h1 style={{ margin: "0 0 8px", fontSize: "var(--mantine-font-size-xl)" }}>Not found</h1>
      <p>{what}</p>
      <p style={{ marginBottom: 0 }}>
        {mayAsk ? (
          <>
            <Link to="/plans/new">Start a plan</Link>, or look through the <Link to="/plans">saved plans</Link>.
          </>
        ) : mayRead ? (
          <>
            Look through the <Link to="/plans">saved plans</Link>.
          </>
        ) : (
          <Link to="/">To the first page</Link>
        )}
      </p>
    </section>
  );
}
