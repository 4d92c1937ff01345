import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import plan from "@tests/fixtures/plan.json";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { type ComponentProps, useState } from "react";
import { describe, expect, it, vi } from "vitest";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { type View, viewFrom } from "@/features/plan/address/view";
import type { Named } from "@/features/plan/configurations/useConfigurations";
import { RankedTable } from "@/features/plan/ranking/RankedTable";
import type { Objective } from "@/features/plan/ranking/rankedColumns";
import { useRanking } from "@/features/plan/ranking/useRanking";

const answer = plan as unknown as PlanAnswer;
const rows = answer.configurations;
const first = rows[0] as RankedAnswer;

type Shown = Partial<
  Pick<ComponentProps<typeof RankedTable>, "still" | "onPick" | "onObjective" | "document" | "today">
> & {
  of?: Partial<PlanAnswer>;
  view?: View;
};

/** The table over a view that is kept in memory. */
function Table({ of, view: firstView = {}, ...props }: Shown) {
  const [view, setView] = useState(firstView);
  const ranking = useRanking({ of: "plan", id: "7" }, view, of?.objective ?? answer.objective);
  return (
    <RankedTable
      answer={{ ...answer, ...of }}
      document={{}}
      ranking={ranking}
      chosen={undefined}
      onPick={() => undefined}
      {...props}
      view={view}
      onView={(change) => setView((before) => viewFrom({ ...before, ...change }))}
    />
  );
}

function show(shown: Shown = {}) {
  render(<Table {...shown} />, { wrapper: Surroundings });
  return screen.getAllByRole("row").slice(1);
}

it("shows a row for each configuration, with units and what limits it", () => {
  const shown = show();
  expect(shown).toHaveLength(rows.length);
  const cells = within(shown[0] as HTMLElement).getAllByRole("cell");
  expect(cells.map((cell) => cell.textContent)).toEqual([
    "1",
    "59 min 54 s 51–71 min",
    "$190$162–$224",
    "■data disks",
    "▲ 50% high",
    "",
  ]);
  expect(within(shown[0] as HTMLElement).getByRole("rowheader").textContent).toBe(
    "519 × m1.xlarge2 data + 2 scratch disks",
  );
});

it("writes digits and names of the last rest while a limit is dragged, and texts of each step", () => {
  const time_s = { p10: 1, p50: 2, p90: 3 };
  const [shown] = show({ of: { configurations: [first] }, still: [{ ...first, nodes: 7, time_s }] });
  const row = within(shown as HTMLElement);
  expect(row.getByRole("button", { name: /^Details of 7 × / }).textContent).toBe("519 × m1.xlarge");
  expect(row.getByTitle("2 s").textContent).toBe("59 min 54 s");
});

it("says what a row that lives on burst credit takes and costs without it", () => {
  show({ of: { configurations: [{ ...first, on_empty: { time_s: 21_736, cost_usd: 412 } }] } });
  expect(screen.getByText("lives on bursts, else 6 h 2 min for $412")).toBeDefined();
});

it("explains the colors of its bars, each once, by what limits the phases", () => {
  const phase = first.phases[0] as RankedAnswer["phases"][number];
  const phases = ["launch", "network in", "network out", "launch"].map((bottleneck, place) => ({
    ...phase,
    name: `phase ${place}`,
    bottleneck,
  }));
  show({ of: { configurations: [{ ...first, phases }] } });
  expect(screen.getByTestId("bar-legend").textContent).toBe("●network, ○launch");
});

it("says nothing of risk where there is no deadline to miss", () => {
  show({ of: { configurations: [{ ...first, meets_deadline: null }] } });
  expect(screen.getAllByRole("cell").at(-2)?.textContent).toBe("—");
});

it("picks a row by mouse and by keyboard, once each", async () => {
  const onPick = vi.fn();
  const shown = show({ onPick });
  const user = userEvent.setup();
  await user.click(within(shown[1] as HTMLElement).getAllByRole("cell")[0] as HTMLElement);
  within(shown[2] as HTMLElement)
    .getByRole("button", { name: /Details of/ })
    .focus();
  await user.keyboard("{Enter}");
  expect(onPick.mock.calls.map(([key]) => key)).toEqual(["125-i2.4xlarge-2-2", "63-i2.8xlarge-4-4"]);
});

it("says how each row is paid and kept, where that was left open", () => {
  const document = { place: { purchase: "any" }, workload: { durability: { model: "any" } } };
  const chosen = { ...first, purchase: "spot", durability: "application", replicas: 2 } as const;
  const shown = show({ document, of: { configurations: [chosen] } });
  expect(within(shown[0] as HTMLElement).getByRole("rowheader").textContent).toBe(
    "519 × m1.xlarge2 data + 2 scratch disks, spot, 2 copies",
  );
});

describe("what is ranked by", () => {
  it("is marked, and another is offered where the rows are sorted by it", async () => {
    const onObjective = vi.fn();
    stubService();
    show({ onObjective });
    expect(screen.getByRole("columnheader", { name: /Cost/ }).getAttribute("aria-sort")).toBe("ascending");
    expect(screen.queryByRole("button", { name: /^Rank by/ })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Time" }));
    await userEvent.click(screen.getByRole("button", { name: "Rank by time" }));
    expect(onObjective).toHaveBeenCalledWith("time" satisfies Objective);
    expect(screen.getByRole("columnheader", { name: /Cost/ }).getAttribute("aria-sort")).toBe("ascending");
  });

  it("has a column of its own where it is the month", () => {
    show({ of: { objective: "month", configurations: [{ ...first, cost_always_on_usd: 63_500 }] } });
    expect(screen.getByRole("table", { name: "Ranked by monthly cost" })).toBeDefined();
    expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual([
      "#",
      "Configuration",
      "Monthly cost ↑",
      "Time of a run",
      "Limited by",
      "Deadline risk",
      "Pin",
    ]);
    expect(screen.getByText("$63,500")).toBeDefined();
  });
});

/** Rows as a whole ranking has them: more than an answer carries. */
const whole = Array.from({ length: 120 }, (_, index) => ({
  ...(rows[index % rows.length] as RankedAnswer),
  rank: index + 1,
  nodes: 100 + index,
  provenance: [],
  courses: [],
  sources: false,
}));
const carried = { configurations: whole.slice(0, 50), configurations_size: 61 };

/** Answer a request for a page of the ranking as the service would: what is asked for of these rows. */
async function give(asked: ReturnType<typeof stubService>, place: number, matching: readonly RankedAnswer[] = whole) {
  await waitFor(() => expect(asked.length).toBeGreaterThan(place));
  const request = asked[place];
  const [limit, cursor] = [Number(request?.search.get("limit")), Number(request?.search.get("cursor") ?? 0)];
  act(() =>
    request?.answer(200, {
      configurations: matching.slice(cursor, cursor + limit),
      matching: matching.length,
      total: whole.length,
      incomplete: null,
      next_cursor: cursor + limit < matching.length ? String(cursor + limit) : null,
    }),
  );
}

// Found by their tags: a query by role looks at every element of a hundred rows, and most of all at names of buttons.
const bodyRows = () => [...document.querySelectorAll("tbody > tr")];
const button = (words: string) => screen.getByText(words).closest("button") as HTMLButtonElement;
const shownWords = () => screen.getByTestId("rows-shown").textContent;

describe("the whole ranking", () => {
  it("is asked for by who looks beyond the first rows, a page at a press", async () => {
    const asked = stubService();
    expect(show({ of: carried })).toHaveLength(15);
    expect(shownWords()).toBe("15 of the first 50 rows shown.");
    expect(asked).toHaveLength(0);
    await userEvent.click(button("Show more"));
    // They are the first of the ranking, and need not be waited for.
    expect(bodyRows()).toHaveLength(50);
    await give(asked, 0);
    await waitFor(() => expect(shownWords()).toBe("50 of 120 rows shown."));
    await userEvent.click(button("Show 50 more"));
    await give(asked, 1);
    await waitFor(() => expect(shownWords()).toBe("100 of 120 rows shown."));
    await userEvent.click(button("Show 20 more"));
    await give(asked, 2);
    await waitFor(() => expect(bodyRows()).toHaveLength(120));
    expect(screen.queryByText(/^Show/)).toBeNull();
  });

  it("is filtered by the service: a row behind the first ones is found", async () => {
    const asked = stubService();
    show({ of: carried });
    await userEvent.type(screen.getByRole("searchbox", { name: "Filter the ranking" }), "213 × m1");
    await waitFor(() => expect(asked.at(-1)?.search.get("find")).toBe("213 × m1"));
    expect(shownWords()).toBe("Looking through the whole ranking …");
    expect(screen.getByRole("table").getAttribute("aria-busy")).toBe("true");
    await give(asked, asked.length - 1, whole.slice(113, 114));
    await waitFor(() => expect(shownWords()).toBe("1 of 1 row with “213 × m1” shown; the ranking has 120."));
    expect(bodyRows().map((row) => row.querySelector("td")?.textContent)).toEqual(["114"]);
  });

  it("is sorted by a press on a head, by keyboard too, and back again", async () => {
    const asked = stubService();
    show({ of: carried });
    const state = () => screen.getByRole("columnheader", { name: /Time/ }).getAttribute("aria-sort");
    const sorts = () => asked.map(({ search }) => search.get("sort"));
    expect(state()).toBe("none");
    screen.getByRole("button", { name: "Time" }).focus();
    await userEvent.keyboard("{Enter}");
    expect(state()).toBe("ascending");
    await waitFor(() => expect(sorts()).toEqual(["time"]));
    await userEvent.keyboard("{Enter}");
    expect(state()).toBe("descending");
    await waitFor(() => expect(sorts()).toEqual(["time", "-time"]));
    const backwards = whole.toReversed();
    await give(asked, 1, backwards);
    await waitFor(() => expect(bodyRows()[0]?.querySelector("td")?.textContent).toBe("120"));
    await userEvent.keyboard("{Enter}");
    expect(state()).toBe("none");
    expect(bodyRows()).toHaveLength(15);
    // What it is ranked by is ascending as it is, and descending by a press.
    await userEvent.click(screen.getByRole("button", { name: /Cost/ }));
    await waitFor(() => expect(sorts()).toEqual(["time", "-time", "-cost"]));
  });

  it("is not asked for where it is sorted by what it is ranked by", () => {
    const asked = stubService();
    expect(show({ of: carried, view: { sort: "cost" } })).toHaveLength(15);
    expect(screen.getByRole("columnheader", { name: /Cost/ }).getAttribute("aria-sort")).toBe("ascending");
    expect(asked).toHaveLength(0);
  });

  it("says why it has its first rows only, and what went wrong", async () => {
    const asked = stubService();
    show({ of: carried, view: { shown: "all" } });
    await waitFor(() => expect(asked).toHaveLength(1));
    act(() => asked[0]?.answer(500, { type: "about:blank", title: "Fault", detail: "It broke.", status: 500 }));
    await screen.findByText(/The first rows are still there/);
    expect(bodyRows()).toHaveLength(50);
    await userEvent.click(screen.getByText(/again/i));
    await waitFor(() => expect(asked).toHaveLength(2));
    const page = { configurations: whole.slice(0, 50), matching: 50, total: 50, next_cursor: null };
    act(() => asked[1]?.answer(200, { ...page, incomplete: "Only what was saved is listed." }));
    expect(await screen.findByText("Only what was saved is listed.")).toBeDefined();
  });
});

describe("the file", () => {
  /** Press the button, and read what would be saved. */
  async function saved(): Promise<string[][]> {
    const blobs: Blob[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => String(blobs.push(blob as Blob)));
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    await userEvent.click(button("Save as CSV"));
    await waitFor(() => expect(blobs).toHaveLength(1));
    const text = await new Promise<string>((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result));
      reader.readAsText(blobs[0] as Blob);
    });
    return text
      .replace("\uFEFF", "")
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(",").map((cell) => cell.replaceAll('"', "")));
  }

  const today = { configuration: rows[1], key: "x" } as unknown as Named;

  it.each<[string, View]>([
    ["as it opens", {}],
    ["filtered and sorted", { find: "m1", sort: "-cost" }],
  ])("holds all rows of the ranking, in their order, %s", async (_, view) => {
    const asked = stubService();
    show({ of: carried, view, today });
    const of = view.find === undefined ? whole : whole.filter(({ instance }) => instance.startsWith("m1")).toReversed();
    const wanted = view.find === undefined ? 0 : 1;
    await waitFor(() => expect(asked).toHaveLength(wanted));
    const file = saved();
    await waitFor(() => expect(asked).toHaveLength(wanted + 1));
    expect(asked.at(-1)?.search.get("find") ?? "").toBe(view.find ?? "");
    expect(asked.at(-1)?.search.get("sort")).toBe(view.sort ?? null);
    await give(asked, wanted, of);
    const [heads, ...lines] = await file;
    const at = (name: string) => (heads ?? []).indexOf(name);
    expect(lines.map((line) => line[at("rank")])).toEqual(of.map(({ rank }) => String(rank)));
    for (const [index, line] of lines.entries()) {
      const row = of[index] as RankedAnswer;
      expect(`${line[at("nodes")]} × ${line[at("instance")]}`).toBe(`${row.nodes} × ${row.instance}`);
      // All digits, not those that are read.
      expect(Number(line[at("time_p50_s")])).toBe(row.time_s.p50);
      expect(Number(line[at("cost_p90_usd")])).toBe(row.cost_usd.p90);
    }
  });

  it("comes in several pages where one does not hold it", async () => {
    const many = Array.from({ length: 700 }, (_, index) => ({ ...(whole[0] as RankedAnswer), rank: index + 1 }));
    const asked = stubService();
    show({ of: carried });
    const file = saved();
    await waitFor(() => expect(asked).toHaveLength(1));
    await give(asked, 0, many);
    await waitFor(() => expect(asked).toHaveLength(2));
    await give(asked, 1, many);
    expect((await file).length).toBe(1 + 700);
  });

  it("has the columns of the screen, in their order", async () => {
    const asked = stubService();
    show({ today, of: { objective: "month" } });
    const file = saved();
    await waitFor(() => expect(asked).toHaveLength(1));
    await give(asked, 0);
    const [heads] = await file;
    expect(heads).toEqual([
      "rank",
      ...["instance", "nodes", "storage"],
      "month_always_on_usd",
      ...["time_p50_s", "time_p10_s", "time_p90_s", "time_on_empty_buckets_s", "physical_limit_s"],
      "limited_by",
      "chance_to_miss_deadline_percent",
      ...["monthly_cost_against_today_percent", "time_against_today_percent"],
    ]);
  });

  it("has the cost of a run, on full and on empty buckets, where runs are ranked", async () => {
    const asked = stubService();
    show({ today });
    const file = saved();
    await waitFor(() => expect(asked).toHaveLength(1));
    await give(asked, 0);
    const [heads] = await file;
    expect(heads).toEqual([
      "rank",
      ...["instance", "nodes", "storage"],
      ...["time_p50_s", "time_p10_s", "time_p90_s", "time_on_empty_buckets_s", "physical_limit_s"],
      "cost_on_empty_buckets_usd",
      ...["cost_p50_usd", "cost_p10_usd", "cost_p90_usd"],
      "limited_by",
      "chance_to_miss_deadline_percent",
      ...["cost_against_today_percent", "time_against_today_percent"],
    ]);
  });

  it("says where it does not hold all rows", async () => {
    const asked = stubService();
    show({ of: carried });
    const file = saved();
    await waitFor(() => expect(asked).toHaveLength(1));
    const page = { configurations: whole.slice(0, 50), matching: 50, total: 50, next_cursor: null };
    act(() => asked[0]?.answer(200, { ...page, incomplete: "Only what was saved is listed." }));
    expect((await file).length).toBe(1 + 50);
    expect(await screen.findByText("The file has 50 rows. Only what was saved is listed.")).toBeDefined();
  });

  it("is not offered where no row passes the filter", async () => {
    const asked = stubService();
    render(<Table view={{ find: "no such type" }} />, { wrapper: Surroundings });
    await give(asked, 0, []);
    await waitFor(() => expect(screen.getByRole("button", { name: "Save as CSV" })).toHaveProperty("disabled", true));
    await userEvent.click(screen.getByRole("button", { name: "Show all rows" }));
    await waitFor(() => expect(screen.getAllByRole("row")).toHaveLength(rows.length + 1));
  });
});
