import { Button } from "@mantine/core";
import { Notice } from "@/ui/feedback/Notice";

/** Render the page for a rendering error; the state in the URL is kept. */
export function ErrorPage({ error }: { error: unknown }) {
  return (
    <Notice tone="bad">
      <h1 style={{ margin: 0, fontSize: "var(--mantine-font-size-md)" }}>This page failed to draw</h1>
      <p>
        Everything you chose is in the address, so that loading it again loses nothing. What happened:{" "}
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
      <Button variant="default" size="compact-sm" onClick={() => window.location.reload()}>
        Load again
      </Button>
    </Notice>
  );
}
