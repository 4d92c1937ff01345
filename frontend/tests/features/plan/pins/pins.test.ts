import { asStored } from "@tests/stored";
import { describe, expect, it } from "vitest";
import type { WorkloadDocument } from "@/api/queries";
import { pinFrom, pinText } from "@/features/plan/address/pinText";
import { viewFrom } from "@/features/plan/address/view";
import {
  asToday,
  differenceInWords,
  keptTodayInWords,
  ownDocument,
  pinOf,
  resolved,
  todayCluster,
  viewMoved,
} from "@/features/plan/pins/pins";
import { decidedIn, storedOf, viewOfDecided } from "@/features/plan/saved/decided";
import { type Choice, documentFrom } from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";

const asked = (changes: Partial<Choice>): Choice => ({ ...DEFAULTS, ...changes });
const COPIES = asked({ durability: "application", replicas: "2" });
const PIN = "124-i2.8xlarge-4-4";
const WITH_COPIES = `${PIN}*durability-application*replicas-2`;

const wanted = (pin: string, base: Choice) => ownDocument(documentFrom(base), base, resolved(pin, base));

describe("a pin in the address", () => {
  it("is its cluster, and the answers that differ from the form's", () => {
    expect(viewMoved({ pins: PIN }, COPIES, DEFAULTS)).toEqual({ pins: WITH_COPIES });
    expect(viewMoved({ pins: WITH_COPIES }, DEFAULTS, COPIES)).toEqual({ pins: PIN });
  });

  it("asks the question of the time when it was pinned, not the current one", () => {
    const now = asked({ durability: "object-store", data: "40 TB", deadline: "2 h" });
    const { pins = "" } = viewMoved({ pins: PIN }, COPIES, now);
    expect(wanted(pins, now)).toEqual({
      workload: { data: "100 TB", durability: { model: "application", replicas: 2 } },
      // It is held against the limits of the form.
      limits: { deadline: "2 h" },
    });
    expect(differenceInWords(resolved(pins, now))).toEqual(["100 TB", "2 copies"]);
  });

  it("follows what only selects or judges", () => {
    const now = asked({ budget: "50 USD", families: "i3,i4i", objective: "time", freespace: "20 %" });
    expect(viewMoved({ pins: PIN }, DEFAULTS, now)).toEqual({ pins: PIN });
  });

  it("says nothing of a number that is written otherwise, nor of what is not asked", () => {
    const three = asked({ durability: "application", replicas: "3" });
    expect(viewMoved({ pins: PIN }, three, asked({ durability: "application", replicas: "3.0" }))).toEqual({
      pins: PIN,
    });
    expect(viewMoved({ pins: PIN }, asked({ replicas: "3" }), DEFAULTS)).toEqual({ pins: PIN });
    expect(viewMoved({ pins: PIN }, DEFAULTS, three)).toEqual({ pins: `${PIN}*durability-none` });
  });

  it("keeps other jobs whole", () => {
    const reduce = asked({ job: "mapreduce", map: "0.5" });
    const { pins = "" } = viewMoved({ pins: PIN }, reduce, DEFAULTS);
    expect(wanted(pins, asked({}))).toEqual({ workload: { job: "mapreduce", data: "100 TB", map_selectivity: 0.5 } });
  });

  it.each(["a_b*c%d", "%5F", "100 TB", '[{"name":"load_1","input_read":"1 TB"}]', "*", "-", ""])(
    "comes back with %j in it",
    (text) => {
      const pin = { cluster: PIN, answers: [["data", text] as const, ["kept", "1 d"] as const] };
      const written = pinText(pin);
      expect(pinFrom(written)).toEqual(pin);
      expect(viewFrom({ pins: `${PIN}_${written}` })).toEqual({ pins: `${PIN}_${written}` });
    },
  );

  it.each([`${PIN}*nonsense`, `${PIN}*evil-1`, `${PIN}*budget-1 USD`, `${PIN}*`])(
    "takes no answer out of %j",
    (pin) => {
      expect(resolved(pin, DEFAULTS).differs).toEqual([]);
    },
  );

  it("names what was left open as the search chose it", () => {
    const base = asked({ durability: "any", loss: "0.1 %", purchase: "any" });
    const open = { purchase: true, durability: true };
    const row = { instance: "i3.large", nodes: 3, storage: { kind: "instance-store" as const } };
    const pin = pinOf({ ...row, durability: "application", replicas: 3, purchase: "spot" }, open, base);
    expect(pin).toBe("3-i3.large-own*durability-application*replicas-3*purchase-spot");
    expect(viewMoved({ pins: pin }, base, asked({ purchase: "spot" }))).toEqual({
      pins: "3-i3.large-own*durability-application*replicas-3",
    });
  });
});

describe("on storage that cannot keep its data as the form asks", () => {
  it.each([
    [PIN, asked({ durability: "object-store" }), "one copy", { durability: undefined }],
    ["12-i2.4xlarge-gp2-8x128GiB", COPIES, "kept on EBS", { durability: { model: "infrastructure" } }],
    ["12-i2.4xlarge-s3", COPIES, "kept in the object store", { durability: { model: "object-store" } }],
  ])("%s is predicted as its storage can", (pin, base, words, workload) => {
    expect(differenceInWords(resolved(pin, base))).toEqual([words]);
    expect(wanted(pin, base)).toEqual({ workload: { data: "100 TB", ...workload } });
  });
});

describe("what runs today", () => {
  it("keeps its copies, and does the job of the form", () => {
    const now = asked({ data: "40 TB" });
    const { today = "" } = viewMoved({ today: PIN }, COPIES, now);
    expect(today).toBe(WITH_COPIES);
    expect(wanted(today, now)).toEqual({
      workload: { data: "40 TB", durability: { model: "application", replicas: 2 } },
    });
    expect(differenceInWords(resolved(today, now))).toEqual(["2 copies"]);
  });

  it("follows the form while that leaves open how data is kept", () => {
    expect(viewMoved({ today: PIN }, asked({ durability: "any", loss: "1 %" }), COPIES)).toEqual({ today: PIN });
  });

  it.each([
    [PIN, null],
    [WITH_COPIES, { model: "application", replicas: 2 }],
    [`${PIN}*durability-none`, { model: "none" }],
    [`${PIN}*replicas-3`, { model: "application", replicas: 3 }],
  ])("is told to the service from %s", (text, durability) => {
    expect(todayCluster(text)).toMatchObject({ instance: "i2.8xlarge", nodes: 124, durability });
  });
});

it("becomes what runs today without what it was asked for, but for how it keeps its data", () => {
  expect(asToday(`${WITH_COPIES}*data-40 TB`)).toBe(WITH_COPIES);
  expect(keptTodayInWords(WITH_COPIES)).toBe("2 copies");
  expect(keptTodayInWords(`${PIN}*durability-none`)).toBe("one copy");
  expect(keptTodayInWords(PIN)).toBeNull();
});

describe("what is decided", () => {
  const view = { today: WITH_COPIES, pins: `98-i2.8xlarge-4-4_${WITH_COPIES}`, durabilities: "side" };

  it("is stored as documents, and comes back into the address from them", () => {
    const decided = decidedIn(view, documentFrom(DEFAULTS), DEFAULTS);
    expect(decided.pins).toEqual([
      { workload: { data: "100 TB" }, cluster: { instance: "i2.8xlarge", nodes: 98, storage: expect.anything() } },
      {
        workload: { data: "100 TB", durability: { model: "application", replicas: 2 } },
        cluster: { instance: "i2.8xlarge", nodes: 124, storage: expect.anything() },
      },
    ]);
    const answer = { feasible: false } as never;
    const { today, pins = [] } = decided;
    const stored = {
      today: today ? { cluster: today, answer } : null,
      // As the service writes them: with what they assume.
      pins: pins.map((file) => ({ file: asStored(file as WorkloadDocument), answer })),
      durabilities: [{ durability: { model: "none" as const }, best: null, sentence: "" }],
      notes: "",
    };
    expect(viewOfDecided(stored, DEFAULTS)).toEqual(view);
    expect([...storedOf(stored, DEFAULTS).keys()]).toEqual(["98-i2.8xlarge-4-4", WITH_COPIES]);
  });

  it("reads own disks where the service left them out, as it does what is default", () => {
    const file = asStored({ workload: { data: "100 TB" }, cluster: { instance: "i2.8xlarge", nodes: 98 } });
    const stored = { today: null, pins: [{ file, answer: {} as never }], durabilities: [], notes: "" };
    expect(viewOfDecided(stored, DEFAULTS)).toEqual({ pins: "98-i2.8xlarge-own" });
  });

  it("is nothing where nothing is", () => {
    expect(decidedIn({}, documentFrom(DEFAULTS), DEFAULTS)).toEqual({ today: null, pins: [], durabilities: false });
    expect(viewOfDecided({ today: null, pins: [], durabilities: [], notes: "x" }, DEFAULTS)).toEqual({});
  });
});
