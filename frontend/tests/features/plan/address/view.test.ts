import { describe, expect, it } from "vitest";
import { pinsFrom, pinsText, toggled, viewFrom, withView } from "@/features/plan/address/view";
import { searchFrom } from "@/features/plan/workload/choice";

const PINS = ["98-i2.8xlarge-4-4", "182-i2.4xlarge-gp2-8x128GiB", "40-i2.8xlarge-own"];

const throughAddress = (search: Record<string, string>) =>
  viewFrom(Object.fromEntries(new URLSearchParams(new URLSearchParams(search).toString())));

describe("what is looked at, in the address", () => {
  it("comes back as it was", () => {
    const view = {
      row: "98-i2.8xlarge-4-4",
      tab: "why",
      why: "40-i2.8xlarge-own",
      scale: "linear",
      pins: pinsText(PINS),
      today: "80-i2.8xlarge-own",
      find: "i3 gp3 100%",
      shown: "all",
      regions: "open",
    };
    expect(throughAddress(view)).toEqual(view);
  });

  it("reads well: nothing in pins needs escaping", () => {
    expect(new URLSearchParams({ pins: pinsText(PINS) }).toString()).toBe(`pins=${PINS.join("_")}`);
  });

  it.each([
    [{ tab: "drop table", why: "x", scale: "cubic", pins: "___", today: "" }, {}],
    [{ tab: ["why"], pins: 7, row: null, today: {} }, {}],
    [{ tab: "time", find: "", shown: "some", regions: "yes" }, {}],
    [{ pins: `<script>_${PINS[0]}_${PINS[0]}_../../etc` }, { pins: PINS[0] }],
    [
      { pins: Array.from({ length: 40 }, (_, nodes) => `${nodes + 1}-i2.8xlarge-own`).join("_") },
      { pins: [1, 2, 3, 4, 5].map((nodes) => `${nodes}-i2.8xlarge-own`).join("_") },
    ],
    [{ today: "9".repeat(900) }, { today: "9".repeat(200) }],
  ])("survives %j", (raw, kept) => expect(viewFrom(raw)).toEqual(kept));

  it("changes by itself, beside the question", () => {
    const search = searchFrom({ data: "2 PB", row: "98-i2.8xlarge-4-4", pins: PINS[0] });
    expect(withView(search, { row: undefined, scale: "linear" })).toEqual({
      data: "2 PB",
      pins: PINS[0],
      scale: "linear",
    });
  });
});

describe("pins", () => {
  it("come off by the same way they went on", () => {
    const [first = "", second = ""] = PINS;
    expect(toggled([first], second)).toEqual([first, second]);
    expect(toggled([first, second], first)).toEqual([second]);
  });

  it("are five at most, and a sixth changes nothing", () => {
    const five = [1, 2, 3, 4, 5].map((nodes) => `${nodes}-i2.8xlarge-own`);
    expect(pinsFrom(pinsText(five))).toEqual(five);
    expect(toggled(five, "6-i2.8xlarge-own")).toBeNull();
    expect(toggled(five, "5-i2.8xlarge-own")).toHaveLength(4);
  });
});
