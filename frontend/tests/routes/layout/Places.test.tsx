import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { follow } from "@tests/follow";
import { Surroundings } from "@tests/render";
import { VIEWER } from "@tests/session";
import { expect, it } from "vitest";
import { Places, Tabs } from "@/routes/layout/Places";

const ID = "00000000-0000-4000-8000-0000000000aa";

function marked(name: string): string[] {
  const row = screen.queryByRole("navigation", { name });
  const links = row === null ? [] : within(row).getAllByRole("link");
  return links.flatMap((link) => (link.hasAttribute("aria-current") ? [link.textContent ?? ""] : []));
}

/** Show the navigation without the page below it. */
async function showNavigation(address: string) {
  const root = createRootRoute({
    component: () => (
      <>
        <Places />
        <Tabs />
      </>
    ),
  });
  const router = createRouter({ routeTree: root, history: createMemoryHistory({ initialEntries: [address] }) });
  render(
    <Surroundings>
      <RouterProvider router={router as never} />
    </Surroundings>,
  );
  await act(() => router.load());
}

it.each([
  ["/", "Home", null],
  ["/plans/new?data=40+TB", "Plans", "New plan"],
  ["/plans/outlook", "Plans", "New plan"],
  ["/plans", "Plans", "Saved plans"],
  [`/plans/${ID}`, "Plans", "Saved plans"],
  ["/plans/scenarios", "Plans", "Scenarios"],
  ["/plans/scenarios/new", "Plans", "Scenarios"],
  [`/plans/scenarios/${ID}`, "Plans", "Scenarios"],
  ["/catalog/instances?type=i3.large", "Catalog", "Instances"],
  ["/catalog/volumes", "Catalog", "EBS volumes"],
  ["/benchmarks?tab=list", "Benchmarks", "Results"],
  [`/benchmarks/jobs/${ID}`, "Benchmarks", "Results"],
  ["/benchmarks/runs", "Benchmarks", "Runs"],
  ["/benchmarks/runs/new", "Benchmarks", "Runs"],
  ["/benchmarks/upload", "Benchmarks", "Upload"],
  [`/benchmarks/monitored/${ID}`, "Benchmarks", "Monitored volumes"],
  ["/benchmarks/accuracy", "Benchmarks", "Model accuracy"],
  ["/reports/new", "Reports", null],
])("marks at %s the place %s and its tab %s", async (address, place, tab) => {
  await showNavigation(address);
  expect(marked("Pages")).toEqual([place]);
  expect(marked(place)).toEqual(tab === null ? [] : [tab]);
});

it("marks no place, but a tab, in the settings", async () => {
  await follow("/settings/audit-log");
  await waitFor(() => expect(marked("Settings")).toEqual(["Audit log"]));
  expect(marked("Pages")).toEqual([]);
});

it("names the page itself by aria-current, and what lies below it by another value", async () => {
  await follow(`/plans/${ID}`);
  const tab = () =>
    within(screen.getByRole("navigation", { name: "Plans" })).getByRole("link", { name: "Saved plans" });
  await waitFor(() => expect(tab().getAttribute("aria-current")).toBe("true"));
  await follow("/plans");
  await waitFor(() => expect(screen.getAllByRole("link", { name: "Saved plans" }).at(-1)?.ariaCurrent).toBe("page"));
});

it("leads readers to the first page of a place that they may open", async () => {
  await follow("/", VIEWER);
  const links = await waitFor(() => within(screen.getByRole("navigation", { name: "Pages" })).getAllByRole("link"));
  expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["Home", "/"],
    ["Plans", "/plans"],
    ["Catalog", "/catalog/instances"],
    ["Benchmarks", "/benchmarks"],
    ["Reports", "/reports"],
  ]);
});

it("keeps the example team in links, except to settings", async () => {
  await follow("/plans?team=example");
  const links = await waitFor(() => within(screen.getByRole("navigation", { name: "Plans" })).getAllByRole("link"));
  expect(links.map((link) => link.getAttribute("href"))).toEqual([
    "/plans/new?team=example",
    "/plans?team=example",
    "/plans/scenarios?team=example",
  ]);
});

it("opens the places below a button and closes them by Escape", async () => {
  await follow("/plans");
  const button = await screen.findByRole("button", { name: "Plans" });
  fireEvent.click(button);
  expect(button.getAttribute("aria-expanded")).toBe("true");
  const links = within(screen.getByRole("navigation", { name: "Pages" })).getAllByRole("link");
  fireEvent.keyDown(links[0] as HTMLElement, { key: "Escape" });
  expect(button.getAttribute("aria-expanded")).toBe("false");
  expect(document.activeElement).toBe(button);
});
