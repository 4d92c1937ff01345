import { Group } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

/** Render the first page: the actions that people come for. */
export function HomePage({ actions }: { actions: ReactNode }) {
  useDocumentTitle("Home · Stowage");
  return (
    <section className="card page" aria-labelledby="home">
      <h1 id="home" className="heading">
        Home
      </h1>
      <Group gap="sm">{actions}</Group>
    </section>
  );
}
