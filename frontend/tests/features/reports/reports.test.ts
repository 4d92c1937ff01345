import { amount } from "@tests/fixtures/report";
import { expect, it } from "vitest";
import type { Step } from "@/api/generated";
import type { ReportChange } from "@/api/reports";
import { changeWords } from "@/features/reports/comparison/DifferencePage";
import { questionIn, sorted, suggestedTitle } from "@/features/reports/composer/question";
import { workings } from "@/features/reports/document/calculation";
import { aheadIn, compareReportsSearchFrom, newReportSearchFrom, originIn } from "@/features/reports/search";
import { shown } from "@/lib/plainText";

const A = "00000000-0000-4000-8000-000000000001";
const B = "00000000-0000-4000-8000-000000000002";
const nothing = () => null;

it.each([
  [{ plan: A }, { kind: "plan", plan_id: A }],
  [
    { plan: A, ranks: "3,1,1,0,x" },
    { kind: "plan", plan_id: A, ranks: [3, 1] },
  ],
  [{ plans: `${A},${B},${A}` }, { kind: "comparison", plan_ids: [A, B] }],
  [{ plans: A }, null],
  [{ plan: "../../etc" }, null],
  [{ validation: "published" }, { kind: "validation" }],
  [{}, null],
])("parses the object of a report from any address (%#)", (raw, origin) => {
  expect(originIn(newReportSearchFrom(raw))).toEqual(origin);
});

it("asks of a run neither for today's cluster nor ahead", () => {
  const search = newReportSearchFrom({ run: A, today: "9-i3.large-own", growth: "3" });
  expect(questionIn(search, nothing)).toMatchObject({ origin: { kind: "run" }, today: null, outlook: null });
});

it.each([
  ["3", "24", { growth: 3, months: 24 }, {}],
  ["−2.5%", "0", { growth: -2.5, months: 0 }, {}],
  ["much", "36", { growth: 0, months: 36 }, { growth: "A number from −50 to 100, like 3" }],
  ["0", "1e9", { growth: 0, months: 36 }, { months: "A whole number from 0 to 120" }],
])("reads growth %s over %s months, and says at the field what it cannot read", (growth, months, ahead, errors) => {
  expect(aheadIn({ growth, months })).toEqual({ ahead, errors });
});

it("leaves out an outlook over no months", () => {
  expect(questionIn({ plan: A, months: "0" }, nothing)?.outlook).toBeNull();
});

it("brings what the service did not accept to its field, and the rest below", () => {
  const said = sorted([
    { path: "today.instance", message: "is no type" },
    { path: "outlook.months", message: "at most 120" },
    { path: "origin.ranks.1", message: "2 is no row" },
    { path: "origin.plan_id", message: "is gone" },
  ]);
  expect(said.today.map(({ path }) => path)).toEqual(["today.instance"]);
  expect(said.fields).toMatchObject({ months: "at most 120", ranks: "2 is no row" });
  expect(said.elsewhere.map(({ message }) => message)).toEqual(["is gone"]);
});

it("suggests a title that is not too long", () => {
  expect(suggestedTitle({ kind: "plan", names: ["x".repeat(300)] })).toHaveLength(200);
  expect(suggestedTitle({ kind: "comparison", names: ["a", "b"] })).toBe("a or b");
});

it("keeps of an address only what names reports", () => {
  expect(compareReportsSearchFrom({ old: A, new: "<script>" })).toEqual({ old: A });
});

it("gives each line of a calculation a letter, by which later lines name it", () => {
  const step = (key: string, formula: string | null): Step => ({
    key,
    label: key,
    amount: amount(1, "1", "1"),
    formula,
  });
  const lines = workings([
    step("nodes", null),
    step("max_h", null),
    step("sum", "max(nodes, 1) * ceil(max_h) / 2 - 1"),
  ]);
  expect(lines.map(({ letter }) => letter)).toEqual(["a", "b", "c"]);
  expect(lines[2]?.working).toBe("max(a, 1) × whole(b) ÷ 2 − 1");
});

const change = (rest: Partial<ReportChange>): ReportChange => ({
  kind: "changed",
  section: "In short",
  where: "",
  label: "Cost",
  old: amount(100, "USD", "$100"),
  new: amount(88, "USD", "$88"),
  change_pct: -12,
  better: true,
  ...rest,
});

it.each([
  [change({}), "▼ 12% less, better"],
  [change({ new: amount(112, "USD", "$112"), change_pct: 12, better: false }), "▲ 12% more, worse"],
  [change({ better: null, change_pct: null }), "▼ "],
  [change({ old: "network", new: "CPU", change_pct: null, better: null }), "reads otherwise"],
  [change({ kind: "added", old: null }), "new"],
  [change({ kind: "gone", new: null }), "no longer there"],
])("says a change with an arrow and in words (%#)", (given, words) => {
  expect(changeWords(given)).toBe(words);
});

it.each([
  ["pay\u200Bload \u202Eexe.png\u0000", "payload ‹U+202E›exe.png"],
  ["a\r\nb\u2028c\td", "a\nb\nc d"],
  ["<b>bold</b> =1+1", "<b>bold</b> =1+1"],
  ["می\u200Cخواهم", "می\u200Cخواهم"],
  [`e${"\u0301".repeat(50)}`, `e${"\u0301".repeat(4)}`],
])("shows %j as everything that stands in it", (text, seen) => {
  expect(shown(text)).toBe(seen);
  expect(shown(seen)).toBe(seen);
});
