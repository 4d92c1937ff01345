import { amount, PUBLISHED } from "@tests/fixtures/report";
import { expect, it } from "vitest";
import type { Amount, Report, Table } from "@/api/generated";
import { searchForNewer, todayLost } from "@/features/reports/composer/newer";

const ID = "00000000-0000-4000-8000-0000000000aa";
const PLAN = "00000000-0000-4000-8000-000000000001";

type Cells = readonly (Amount | string | null)[];

function table(key: string, rows: readonly (readonly [string, Cells])[]): Table & { kind: "table" } {
  return {
    kind: "table",
    key,
    caption: "",
    columns: [],
    rows: rows.map(([row, cells]) => ({ key: row, cells: [...cells], chosen: false })),
    sideways: false,
  };
}

function report(kind: Report["origin"]["kind"], sections: Report["sections"]): Report {
  return { ...PUBLISHED.report, origin: { kind, object_ids: [PLAN], names: ["Sort"] }, sections };
}

function section(key: string, ...blocks: Report["sections"][number]["blocks"]): Report["sections"][number] {
  return { key, heading: key, blocks, detail: false };
}

const today = (storage: string) =>
  section(
    "today",
    table("today", [
      ["configuration", ["Cluster", "1,060 × i3.16xlarge", "80 × i8g.4xlarge", null]],
      ["storage", ["Storage", storage, "1 shared disk", null]],
    ]),
  );

it("takes over the given cost of what runs today", () => {
  const given = { ...amount(2_950, "USD/month", "$2,950 (given)"), standing: "given" as const };
  const cells = [
    ["configuration", ["Cluster", "60 × i3.16xlarge", "80 × i8g.4xlarge", null]],
    ["storage", ["Storage", "1 shared disk", "1 shared disk", null]],
  ] as const;
  const costing = (month: typeof given | ReturnType<typeof amount>) =>
    report("plan", [section("today", table("today", [...cells, ["month", ["Month", month, null, null]]]))]);
  expect(searchForNewer(ID, costing(given)).pays).toBe("2950 USD");
  expect(searchForNewer(ID, costing(amount(2_950, "USD/month", "$2,950"))).pays).toBeUndefined();
});

it("takes over the options, how far was looked ahead, and what runs today", () => {
  const options = table("options", [
    ["rank-2", ["80 × i8g.4xlarge"]],
    ["rank-1", ["54 × i8g.8xlarge"]],
  ]);
  const growth = { key: "growth", label: "Growth", value: { ...amount(3, "%", "3%"), unit: "%" }, better: null };
  const outlook = section(
    "outlook",
    { kind: "facts", headline: false, facts: [growth] },
    table("outlook-years", [["all", ["All (months 1–24)"]]]),
  );
  const of = report("plan", [section("options", options), today("4 data + 4 scratch disks"), outlook]);
  expect(searchForNewer(ID, of)).toEqual({
    plan: PLAN,
    ranks: "2,1",
    growth: "3",
    months: "24",
    today: "1060-i3.16xlarge-4-4",
    replaces: ID,
  });
  expect(todayLost(of)).toBeNull();
});

it.each([
  ["1 shared disk", "1-0"],
  ["8 shared disks", "8-0"],
  ["object store", "s3"],
  ["8 × 128 GiB gp2", "gp2-8x128GiB"],
  ["2 × 1 TiB gp3 of 6,000 IOPS and 500 MiB/s", "gp3-2x1TiB-6000iops-500MiBps"],
])("reads of %s what the address holds", (words, key) => {
  expect(searchForNewer(ID, report("plan", [today(words)])).today).toBe(`1060-i3.16xlarge-${key}`);
});

it.each([
  ["2 copies", "one copy", "*durability-application*replicas-2"],
  ["one copy", "2 copies", "*durability-none"],
  ["2 copies", "2 copies", ""],
])("takes over that today's data is kept in %s beside %s", (kept, recommended, own) => {
  const rows = table("today", [
    ["configuration", ["Cluster", "60 × i3.4xlarge", "80 × i8g.4xlarge", null]],
    ["storage", ["Storage", "1 data + 1 scratch disks", "1 shared disk", null]],
    ["kept", ["Data is kept in", kept, recommended, null]],
  ]);
  expect(searchForNewer(ID, report("plan", [section("today", rows)])).today).toBe(`60-i3.4xlarge-1-1${own}`);
});

it("says what it cannot take over", () => {
  const of = report("plan", [today("tape")]);
  expect(searchForNewer(ID, of).today).toBeUndefined();
  expect(todayLost(of)).toBe("1,060 × i3.16xlarge, tape");
});

it("leaves out an outlook that the older one left out, and asks none of a run", () => {
  expect(searchForNewer(ID, report("plan", [])).months).toBe("0");
  expect(searchForNewer(ID, report("run", []))).toEqual({ run: PLAN, replaces: ID });
});
