import { asStored } from "@tests/stored";
import { describe, expect, it } from "vitest";
import { ranErrors, ranFrom, ranKeptAs, ranSection, ranText, ranWords } from "@/features/plan/address/ran";
import { choiceFrom, choiceFromDocument, documentFrom, searchFrom, searchOf } from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";

const TEXT = "60-i3.4xlarge-own~1 h 50 min~40 TB";

describe("a measured run of today", () => {
  it.each([
    TEXT,
    "80-i2.8xlarge-4-4~30 min~100 TB",
    "12-i2.4xlarge-gp3-8x128GiB-6000iops-500MiBps~1.5 h~512 GiB",
    "12-i2.4xlarge-s3~2h~1TB",
    `${TEXT}~application-2`,
    `${TEXT}~none`,
  ])("goes from the address into the document and back: %s", (text) => {
    const choice = choiceFrom(searchFrom({ ran: text }));
    const document = documentFrom(choice);
    expect(document).toMatchObject({ today: { time: ranFrom(text)?.time, data: ranFrom(text)?.data } });
    const { choice: again, lost } = choiceFromDocument(asStored(document));
    expect(lost).toEqual([]);
    expect(again).toEqual(choice);
    expect(searchOf(again)).toEqual({ ran: text });
  });

  it("is the section of the file with its cluster", () =>
    expect(ranSection(TEXT)).toEqual({
      instance: "i3.4xlarge",
      nodes: 60,
      storage: { kind: "instance-store" },
      time: "1 h 50 min",
      data: "40 TB",
    }));

  it("is read from a stored file that leaves the usual storage out", () => {
    const today = { instance: "i3.4xlarge", nodes: 60, time: "1 h 50 min", data: "40 TB" };
    const { choice, lost } = choiceFromDocument(asStored({ workload: { data: "40 TB" }, today }));
    expect(choice).toEqual({ ...DEFAULTS, data: "40 TB", ran: TEXT });
    expect(lost).toEqual([]);
  });

  it("leaves documents without it as they were", () =>
    expect(documentFrom(choiceFrom({}))).toEqual({ workload: { data: "100 TB" } }));

  it.each(["", "60-i3.4xlarge-own", "60-i3.4xlarge-own~1 h", "zzz~1 h~1 TB", `${TEXT}~more`])(
    "reads nothing out of %j",
    (text) => expect(ranFrom(text)).toBeNull(),
  );

  it("says at the field which unit is missing, and nothing while it is empty", () => {
    expect(ranErrors({ time: "", data: "" })).toEqual({});
    expect(ranErrors({ time: "110", data: "40 TB" })).toEqual({ time: "A time with its unit, like 1 h 50 min" });
    expect(ranErrors({ time: "1h50min", data: "40" })).toEqual({ data: "A size with its unit, like 40 TB" });
    expect(ranErrors({ time: "6,600 s", data: "40,000 GB" })).toEqual({});
  });

  it("keeps its data as what runs today does, and as asked where that says nothing", () => {
    const cluster = "60-i3.4xlarge-own";
    expect(ranKeptAs(TEXT, `${cluster}*durability-application*replicas-3`)).toBe(`${TEXT}~application-3`);
    expect(ranKeptAs(`${TEXT}~application-3`, `${cluster}*durability-none`)).toBe(`${TEXT}~none`);
    expect(ranKeptAs(TEXT, `${cluster}*replicas-3`)).toBe(`${TEXT}~application-3`);
    expect(ranKeptAs(`${TEXT}~none`, cluster)).toBe(TEXT);
    expect(ranKeptAs(TEXT, `${cluster}*durability-any`)).toBe(TEXT);
    expect(ranKeptAs(`${TEXT}~none`, "61-i3.4xlarge-own*durability-application")).toBe(`${TEXT}~none`);
    expect(ranKeptAs(`${TEXT}~none`, undefined)).toBe(`${TEXT}~none`);
    expect(ranSection(`${TEXT}~application-2`)).toMatchObject({ durability: { model: "application", replicas: 2 } });
    expect(ranWords(`${TEXT}~application-2`)).toBe("1 h 50 min on 60 × i3.4xlarge for 40 TB, 2 copies");
  });

  it("is said in words", () => {
    expect(ranWords(TEXT)).toBe("1 h 50 min on 60 × i3.4xlarge for 40 TB");
    expect(ranText({ key: "60-i3.4xlarge-own", time: " 1 h 50 min ", data: "40 TB" })).toBe(TEXT);
  });
});
