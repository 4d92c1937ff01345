import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { session } from "@/api/teams/session";
import { theme } from "@/ui/theme/theme";
import { OWNER } from "./session";

/** Knows no pages: links to them are built, and not followed. */
const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });

/** What every component needs around it: an owner who is signed in; no animations, no retries. */
export function Surroundings({ as = OWNER, children }: { as?: typeof OWNER; children: ReactNode }) {
  const [client] = useState(() => {
    const made = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: "always" } } });
    made.setQueryData(session.queryKey, as);
    return made;
  });
  return (
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <RouterContextProvider router={router}>{children}</RouterContextProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
