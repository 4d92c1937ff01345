import { describe, expect, it } from "vitest";
import { RESOURCES, resourceKind } from "@/lib/resources";

describe("The kind of a resource", () => {
  it("is that of the bottleneck, also while data is loaded", () => {
    expect(["object store", "link to the data", "launch"].map(resourceKind)).toEqual([
      "object store",
      "data link",
      "launch",
    ]);
  });

  it("has its own color and symbol", () => {
    const styles = Object.values(RESOURCES);
    expect(new Set(styles.map(({ colour }) => colour)).size).toBe(styles.length);
    expect(new Set(styles.map(({ glyph }) => glyph)).size).toBe(styles.length);
  });
});
