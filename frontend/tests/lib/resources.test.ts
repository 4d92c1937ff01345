import { describe, expect, it } from "vitest";
import { phaseKind, RESOURCES, resourceKind } from "@/lib/resources";

describe("The kind of a phase", () => {
  it("is loading for loading and unloading, else the bottleneck", () => {
    const kinds = [
      { kind: "load", bottleneck: "object store" },
      { kind: "unload", bottleneck: "link to the data" },
      { kind: "work", bottleneck: "object store" },
      { kind: "launch", bottleneck: "launch" },
    ] as const;
    expect(kinds.map(phaseKind)).toEqual(["loading", "loading", "object store", "launch"]);
    expect(resourceKind("link to the data")).toBe("data link");
  });

  it("has its own color and symbol", () => {
    const styles = Object.values(RESOURCES);
    expect(new Set(styles.map(({ colour }) => colour)).size).toBe(styles.length);
    expect(new Set(styles.map(({ glyph }) => glyph)).size).toBe(styles.length);
  });
});
