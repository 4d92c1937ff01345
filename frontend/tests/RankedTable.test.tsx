import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { type ComponentProps, useState } from "react";
import { describe, expect, it, vi } from "vitest";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { clusterKey } from "@/features/plan/cluster";
import { RankedTable } from "@/features/plan/RankedTable";
import type { Objective } from "@/features/plan/rankedColumns";
import type { Named } from "@/features/plan/useConfigurations";
import { type View, viewFrom } from "@/features/plan/view";
import { duration, usd } from "@/lib/wording";
import plan from "./fixtures/plan.json";
import { Surroundings } from "./render";

const answer = plan as unknown as PlanAnswer;
const rows = answer.configurations;
const first = rows[0] as RankedAnswer;

type Shown = Partial<Pick<ComponentProps<typeof RankedTable>, "onPick" | "onObjective" | "document" | "today">> & {
  of?: Partial<PlanAnswer>;
  view?: View;
};

/** The table over a view that is kept in memory. */
function Table({ of, view: firstView = {}, ...props }: Shown) {
  const [view, setView] = useState(firstView);
  return (
    <RankedTable
      answer={{ ...answer, ...of }}
      document={{}}
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
    "■input/output disks",
    "50%",
    "",
  ]);
  expect(within(shown[0] as HTMLElement).getByRole("rowheader").textContent).toBe("519 × m1.xlargedisks 2 + 2");
});

it("says what a row that lives on burst credit takes and costs without it", () => {
  show({ of: { configurations: [{ ...first, on_empty: { time_s: 21_736, cost_usd: 412 } }] } });
  expect(screen.getByText("lives on bursts, else 6 h 2 min for $412")).toBeDefined();
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
    "519 × m1.xlargedisks 2 + 2, spot, 2 copies",
  );
});

describe("what is ranked by", () => {
  it("is marked, and another is a press away", async () => {
    const onObjective = vi.fn();
    show({ onObjective });
    expect(screen.getByRole("columnheader", { name: /Cost/ }).getAttribute("aria-sort")).toBe("ascending");
    await userEvent.click(screen.getByRole("button", { name: "Time" }));
    expect(onObjective).toHaveBeenCalledWith("time" satisfies Objective);
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

describe("the file", () => {
  /** Press the button, and read what would be saved. */
  async function saved(): Promise<string[][]> {
    const blobs: Blob[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => String(blobs.push(blob as Blob)));
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    await userEvent.click(screen.getByRole("button", { name: "Save as CSV" }));
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

  /** More rows than are shown at once. */
  const many = Array.from({ length: 20 }, (_, index) => ({
    ...(rows[index % rows.length] as RankedAnswer),
    rank: index + 1,
    nodes: 100 + index,
  }));
  const today = { configuration: rows[1], key: "x" } as unknown as Named;

  const onScreen = () =>
    screen
      .getAllByRole("row")
      .slice(1)
      .map((row) => ({
        cells: [...row.querySelectorAll("td")].map((cell) => cell.textContent),
        name: row.querySelector("th button")?.textContent,
      }));

  it.each<[string, View]>([
    ["as it opens", {}],
    ["with all rows", { shown: "all" }],
    ["filtered", { find: "I2.8X disks" }],
    ["with an open row beyond the first ones", { row: clusterKey(many[18] as RankedAnswer) }],
  ])("holds the rows of the screen in their order, %s", async (_, view) => {
    show({ of: { configurations: many, configurations_size: 20 }, view, today });
    const seen = onScreen();
    const [heads, ...lines] = await saved();
    const at = (name: string) => (heads ?? []).indexOf(name);
    expect(lines.map((line) => `${line[at("nodes")]} × ${line[at("instance")]}`)).toEqual(seen.map(({ name }) => name));
    for (const [index, line] of lines.entries()) {
      const cells = seen[index]?.cells ?? [];
      expect(line[at("rank")]).toBe(cells[0]);
      expect(cells[1]).toContain(duration(Number(line[at("time_p50_s")])));
      expect(cells[2]).toContain(usd(Number(line[at("cost_p50_usd")])));
      expect(cells[3]).toContain(line[at("limited_by")]);
    }
    const source = many.find(({ rank }) => String(rank) === lines[0]?.[at("rank")]);
    // All digits, not those that are read.
    expect(Number(lines[0]?.[at("cost_p90_usd")])).toBe(source?.cost_usd.p90);
  });

  it("has the columns of the screen, in their order", async () => {
    show({ today, of: { objective: "month" } });
    const [heads] = await saved();
    expect(heads).toEqual([
      "rank",
      ...["instance", "nodes", "storage"],
      "month_always_on_usd",
      ...["time_p50_s", "time_p10_s", "time_p90_s", "time_on_empty_buckets_s"],
      "limited_by",
      "chance_to_miss_deadline_percent",
      ...["monthly_cost_against_today_percent", "time_against_today_percent"],
    ]);
  });

  it("has the cost of a run, on full and on empty buckets, where runs are ranked", async () => {
    show({ today });
    const [heads] = await saved();
    expect(heads).toEqual([
      "rank",
      ...["instance", "nodes", "storage"],
      ...["time_p50_s", "time_p10_s", "time_p90_s", "time_on_empty_buckets_s", "cost_on_empty_buckets_usd"],
      ...["cost_p50_usd", "cost_p10_usd", "cost_p90_usd"],
      "limited_by",
      "chance_to_miss_deadline_percent",
      ...["cost_against_today_percent", "time_against_today_percent"],
    ]);
  });

  it("is not offered where no row passes the filter", async () => {
    render(<Table view={{ find: "no such type" }} />, { wrapper: Surroundings });
    expect(screen.getByRole("button", { name: "Save as CSV" })).toHaveProperty("disabled", true);
    await userEvent.click(screen.getByRole("button", { name: "Show all rows" }));
    expect(screen.getAllByRole("row")).toHaveLength(rows.length + 1);
  });
});
