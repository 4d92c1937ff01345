import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { CATALOGS, TABLE } from "@tests/fixtures/explore";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { SavedView } from "@/api/catalog/views";
import { ExplorePage } from "@/features/explore/ExplorePage";
import { type ExploreSearch, exploreSearchFrom } from "@/features/explore/search";

/** The page over an address that is kept in memory. */
function Addressed({ first, seen }: { first: ExploreSearch; seen: ExploreSearch[] }) {
  const [search, setSearch] = useState(first);
  return (
    <ExplorePage
      search={search}
      onSearch={(next) => {
        seen.push(next);
        setSearch(exploreSearchFrom({ ...next }));
      }}
      planWith={({ name }) => <a href="/">Plan with {name}</a>}
    />
  );
}

async function open(first: ExploreSearch = {}) {
  const asked = stubService();
  const seen: ExploreSearch[] = [];
  render(<Addressed first={first} seen={seen} />, { wrapper: Surroundings });
  await waitFor(() => expect(asked.map(({ path }) => path)).toEqual(["/api/v1/catalogs"]));
  act(() => asked[0]?.answer(200, { catalogs: CATALOGS, next_cursor: null }));
  await waitFor(() => expect(asked.length).toBeGreaterThan(1));
  return { asked, seen, user: userEvent.setup() };
}

async function openWhole(first: ExploreSearch = EVERY, saved: readonly SavedView[] = []) {
  const opened = await open(first);
  act(() => opened.asked[1]?.answer(200, TABLE));
  await screen.findByRole("grid");
  await waitFor(() => expect(opened.asked.some(({ path }) => path === VIEWS)).toBe(true));
  act(() => opened.asked.find(({ path }) => path === VIEWS)?.answer(200, { views: saved, most: 50 }));
  return opened;
}

const VIEWS = "/api/v1/instance-views";
const EVERY: ExploreSearch = { series: "all" };

const grid = () => screen.getByRole("grid", { name: "Instance types" });
const shown = () =>
  within(grid())
    .queryAllByRole("rowheader")
    .map((head) => head.textContent);

beforeEach(() => {
  // jsdom has no layout: the table gets the room of a screen.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1_200);
});

it("asks once for the whole table of the region, and says what it is", async () => {
  const { asked } = await openWhole();
  expect(asked[1]?.path).toBe("/api/v1/catalogs/aws-2026-07-06/regions/us-east-1/instance-types");
  expect(Object.fromEntries(asked[1]?.search ?? [])).toEqual({ purchase: "on-demand", limit: "2000" });
  expect(screen.getByTestId("explore-sentence").textContent).toBe(
    "5 instance types in us-east-1, all with an on-demand price; catalog aws-2026-07-06 of 6 Jul 2026.",
  );
  expect(shown()).toEqual(["c9.2xlarge", "d9.8xlarge", "i9.xlarge", "i9.2xlarge", "i9.16xlarge"]);
  expect(grid().getAttribute("aria-rowcount")).toBe("6");
  expect(asked).toHaveLength(3);
});

it("filters by what is written in the head of a column, at once, and puts it into the address", async () => {
  const { seen, user } = await openWhole();
  await user.type(screen.getByRole("textbox", { name: "Filter vCPU" }), ">=8");
  expect(shown()).toEqual(["c9.2xlarge", "d9.8xlarge", "i9.2xlarge", "i9.16xlarge"]);
  expect(screen.getByText("Showing 4 of 5 types in us-east-1.")).toBeDefined();
  await waitFor(() => expect(seen.at(-1)).toEqual({ where: "vcpus:>=8", series: "all" }));
  await user.type(screen.getByRole("searchbox", { name: "Name" }), "i9");
  expect(shown()).toEqual(["i9.2xlarge", "i9.16xlarge"]);
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  await waitFor(() => expect(seen.at(-1)).toEqual({ series: "all" }));
  expect(shown()).toHaveLength(5);
});

it("marks a filter that cannot be read, and keeps everything", async () => {
  const { user } = await openWhole();
  const field = screen.getByRole("textbox", { name: "Filter vCPU" });
  await user.type(field, "many");
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(field.getAttribute("title")).toContain("Write >=8");
  expect(screen.getByRole("alert").textContent).toBe("vCPU: Write >=8, <1.5, 4..16, 8, or ? for unknown.");
  expect(shown()).toHaveLength(5);
});

it("opens as its address says: filters, order, columns, comparison", async () => {
  await openWhole({
    media: "any",
    sort: "-usd_per_hour",
    columns: "usd_per_hour,vcpus",
    compare: "i9.xlarge,i9.2xlarge",
    where: "memory_gib:>=64",
  });
  expect(shown()).toEqual(["d9.8xlarge", "i9.16xlarge", "i9.2xlarge"]);
  expect(
    within(grid())
      .getAllByRole("columnheader")
      .map((head) => head.textContent),
  ).toEqual(["Type ", "On-demand ↓USD/h", "vCPU "]);
  // A column that is not shown filters all the same, and says so.
  expect(screen.getByRole("button", { name: "Remove the filter Memory >=64" })).toBeDefined();
  const compared = screen.getByRole("region", { name: "Compared types" });
  expect(within(compared).getByRole("row", { name: /^vCPU.*differs.*4.*8.*× 2/ })).toBeDefined();
});

it("moves a cursor by keys: Enter opens a source or a type, space compares", async () => {
  const { seen, user } = await openWhole();
  act(() => grid().focus());
  await user.keyboard("{ArrowDown}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}{Enter}");
  const source = await screen.findByRole("dialog", {
    name: "Source of Disk throughput (half read, half write) of d9.8xlarge",
  });
  expect(source.textContent).toContain("measured, 1 Feb 2025. A published measurement");
  await user.keyboard("{Escape}{Home} ");
  expect(seen.at(-1)).toEqual({ ...EVERY, compare: "d9.8xlarge" });
  await user.keyboard("{Enter}");
  expect(seen.at(-1)).toEqual({ ...EVERY, compare: "d9.8xlarge", type: "d9.8xlarge" });
});

it("marks estimated and measured figures, also for those who hear them", async () => {
  await openWhole();
  const row = within(grid()).getByRole("row", { name: /i9\.2xlarge/ });
  const cells = within(row).getAllByRole("cell");
  expect(cells[4]?.textContent).toBe("1,000 measured");
  expect(cells[5]?.textContent).toBe("2.4 estimated");
  expect(cells[4]?.querySelector("[title]")?.getAttribute("title")).toBe("1000 MB/s, measured");
});

it("opens a type with every figure, its gaps and where they are from", async () => {
  const { asked } = await openWhole({ type: "i9.2xlarge" });
  const figure = { quantity: "vcpus", value: 8, unit: "1", source: "A list", kind: "published", as_of: "2026-07-06" };
  const at = (end: string) => asked.find(({ path }) => path.endsWith(end));
  await waitFor(() => expect(at("/i9.2xlarge")).toBeDefined());
  act(() =>
    at("/i9.2xlarge")?.answer(200, {
      version: "aws-2026-07-06",
      region: "us-east-1",
      name: "i9.2xlarge",
      family: "i9",
      traits: ["nitro"],
      disk_media: "ssd",
      placement_group: true,
      gaps: { network_peak_mb_per_s: "not published" },
      figures: [figure, { ...figure, quantity: "disk_count", value: 1 }],
      profiles: [],
    }),
  );
  const drawer = await screen.findByRole("dialog", { name: "i9.2xlarge" });
  await within(drawer).findByText("8 vCPUs, 1 SSD. Traits: nitro. It can be in a placement group.");
  expect(within(drawer).getByText(/not published/)).toBeDefined();
  expect(within(drawer).getByText("Plan with i9.2xlarge")).toBeDefined();
});

it("counts and dates the prices of the way of paying that is chosen", async () => {
  await openWhole({ purchase: "spot" });
  expect(screen.getByTestId("explore-sentence").textContent).toBe(
    "5 instance types in us-east-1, 4 with a spot price; catalog aws-2026-07-06 of 6 Jul 2026.",
  );
});

it("says what is shown instead of a catalog or a region that is not there", async () => {
  await openWhole({ version: "aws-1999-01-01" });
  expect(screen.getByText("There is no catalog aws-1999-01-01; this is aws-2026-07-06, us-east-1.")).toBeDefined();
});

it("keeps a type that is not sold here in the comparison, where it can be taken away and takes no room", async () => {
  const { seen, user } = await openWhole({ compare: "x1.gone,x2.gone,x3.gone,x4.gone,x5.gone" });
  expect(screen.getByText(/x1\.gone is not sold in us-east-1/)).toBeDefined();
  await user.click(screen.getByRole("button", { name: "No longer compare x1.gone" }));
  expect(seen.at(-1)).toEqual({ compare: "x2.gone,x3.gone,x4.gone,x5.gone" });
  const box = within(grid()).getByRole("checkbox", { name: "Compare i9.xlarge" });
  expect(box).toHaveProperty("disabled", false);
});

it("says when no type passes, and offers to show them all", async () => {
  const { seen, user } = await openWhole({ where: "vcpus:>1000" });
  expect(screen.getByText("No type passes all of these filters.")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Show every type" }));
  expect(seen.at(-1)).toEqual({ series: "all" });
});

it("opens on storage-optimized types of the current generation, as filters that can be removed", async () => {
  const { seen, user } = await openWhole({});
  const sentence = "Showing 3 of 5 types in us-east-1: storage optimized, current generation, with SSDs.";
  expect(screen.getByText(sentence)).toBeDefined();
  expect(screen.getByRole("button", { name: "Storage optimized" }).getAttribute("aria-pressed")).toBe("true");
  await user.click(screen.getByRole("button", { name: "Remove the filter Current generation" }));
  expect(seen.at(-1)).toEqual({ series: "storage", media: "ssd" });
  await user.click(screen.getByRole("button", { name: "Remove the filter With SSDs" }));
  expect(seen.at(-1)).toEqual({ series: "storage" });
  await user.click(screen.getByRole("button", { name: "Remove the filter Storage optimized" }));
  expect(seen.at(-1)).toEqual({ series: "all" });
  expect(shown()).toHaveLength(5);
});

it("shows a view with its filters, order and columns at one click", async () => {
  const { seen, user } = await openWhole({ where: "vcpus:>4", compare: "i9.xlarge" });
  await user.click(screen.getByRole("button", { name: "NVMe heavy" }));
  expect(seen.at(-1)).toMatchObject({ generation: "current", media: "ssd", sort: "-capacity_gb" });
  expect(seen.at(-1)?.where).toBeUndefined();
  expect(seen.at(-1)?.compare).toBe("i9.xlarge");
  expect(shown()).toEqual(["i9.16xlarge", "i9.2xlarge", "i9.xlarge"]);
});

const DENSE: SavedView = {
  id: "0b8f0f8e-5d2b-4f0a-8a52-6a1f6f5f0a01",
  name: "Dense",
  shown: {
    ...{ name: null, series: "all", generation: null, media: "hdd", traits: null, where: null },
    ...{ sort: null, columns: null, x: null, y: null },
  },
  person: "Ada",
  created_at: "2026-11-20T10:00:00Z",
};

it("shows, saves and deletes views of the team", async () => {
  const { asked, seen, user } = await openWhole({ media: "ssd" }, [DENSE]);
  const last = () => asked.at(-1);
  await user.click(screen.getByRole("button", { name: "Save view" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Fast{Enter}");
  await waitFor(() => expect(last()?.method).toBe("POST"));
  expect(last()?.body).toEqual({ name: "Fast", shown: { media: "ssd" } });
  act(() => last()?.answer(201, { ...DENSE, id: "2", name: "Fast", shown: { ...DENSE.shown, media: "ssd" } }));
  await waitFor(() => expect(last()?.path).toBe(VIEWS));
  await user.click(screen.getByRole("button", { name: "Dense" }));
  expect(seen.at(-1)).toEqual({ series: "all", media: "hdd" });
  expect(shown()).toEqual(["d9.8xlarge"]);
  await user.click(screen.getByRole("button", { name: "Change the view “Dense”" }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
  await waitFor(() => expect([last()?.method, last()?.path]).toEqual(["DELETE", `${VIEWS}/${DENSE.id}`]));
});

it("shows fifty types on a page, and the page of the address", async () => {
  const row = TABLE.rows[0];
  if (row === undefined) throw new Error("no row");
  const rows = Array.from({ length: 120 }, (_, index) => ({ ...row, name: `i9.${index + 1}xlarge` }));
  const { asked, seen, user } = await open({ series: "all", from: "51" });
  act(() => asked[1]?.answer(200, { ...TABLE, rows, total: rows.length }));
  await screen.findByRole("grid");
  expect(shown()).toHaveLength(50);
  expect(shown()[0]).toBe("i9.51xlarge");
  expect(grid().getAttribute("aria-rowcount")).toBe("121");
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(seen.at(-1)).toEqual({ series: "all", from: "101" });
  expect(screen.getByText("101–120 of 120")).toBeDefined();
  act(() => grid().focus());
  await user.keyboard("{Control>}{Home}{/Control}");
  expect(seen.at(-1)).toEqual({ series: "all" });
  expect(shown()[0]).toBe("i9.1xlarge");
});

it("shows another provider's types as published, and plans nothing on them", async () => {
  const { asked } = await open({ version: "paper-2014-gce" });
  expect(asked[1]?.path).toBe("/api/v1/catalogs/paper-2014-gce/regions/us-central1/instance-types");
  expect(screen.getByText(/Shown as published; plans do not search it/)).toBeDefined();
});

it("gives the reference of our own faults, and tries again", async () => {
  const { asked, user } = await open();
  act(() => asked[1]?.answer(500, { status: 500, title: "Our fault", detail: "It broke.", reference: "abc123" }));
  expect(await screen.findByText("abc123")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(asked).toHaveLength(3));
});
