import { describe, expect, it } from "vitest";
import { csv, filenameFrom, harmless } from "@/lib/csv";

describe("a table as CSV", () => {
  it("keeps numbers as numbers and quotes what must be quoted", () => {
    expect(
      csv(
        ["data", "cost_usd"],
        [
          ["1,000 TB", -12.5],
          ['a "b"\nc', 3],
        ],
      ),
    ).toBe('data,cost_usd\r\n"1,000 TB",-12.5\r\n"a ""b""\nc",3\r\n');
  });

  it("writes nothing for what is no number", () => {
    expect(csv(["x"], [[Number.NaN], [Number.POSITIVE_INFINITY]])).toBe("x\r\n\r\n\r\n");
  });

  it.each(["=1+1", "+1", "-1 TB", "@SUM(A1)", "\t=1", "\r=1", " =1", "|calc", "=cmd|' /C calc'!A0", "＝1"])(
    "never holds a formula: %j",
    (text) => {
      expect(harmless(text)).toBe(`'${text}`);
      expect(
        csv(["x"], [[text]])
          .split("\r\n")
          .slice(1)
          .join("\r\n"),
      ).toMatch(/^"'/);
    },
  );

  it.each(["100 TB", "i2.8xlarge", "a=b", "1-2"])("leaves %j as it is", (text) => {
    expect(csv([text], [])).toBe(`${text}\r\n`);
  });
});

it("makes a harmless name for a file of any name", () => {
  expect(filenameFrom("What a deadline costs, by data size")).toBe("What-a-deadline-costs-by-data-size");
  expect(filenameFrom("../../etc/passwd")).toBe("etc-passwd");
  expect(filenameFrom("🚢")).toBe("stowage");
  expect(filenameFrom("x".repeat(300))).toHaveLength(80);
});
