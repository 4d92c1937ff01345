// Mantine's styles must come first, so that ours override them.
import "./ui/theme/mantine.css";
import "./ui/theme/page.css";

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { retryDelay_ms, worthRetrying } from "@/api/queries";
import { router } from "@/routes/router";
import { installSession, session } from "./api/teams/session";
import { cssVariablesResolver, theme } from "./ui/theme/theme";

const FIVE_MINUTES_MS = 300_000;

const client = new QueryClient({
  defaultOptions: {
    queries: { staleTime: FIVE_MINUTES_MS, retry: worthRetrying, retryDelay: retryDelay_ms, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

installSession(client);
// All pages depend on the session: fetch it before the first render.
void client.prefetchQuery(session);

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
