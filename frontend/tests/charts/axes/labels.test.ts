import { expect, it } from "vitest";
import { placeLabels } from "@/charts/axes/labels";

const FRAME = { width: 800, height: 400 };

it("puts labels of neighbouring curves where they do not cover each other", () => {
  const labels = [0, 4, 8].map((offset) => ({ text: "i2.8xlarge", x: 400 + offset, y: 200 + offset }));
  const places = placeLabels(labels, { marks: [], lines: [] }, FRAME);
  const boxes = labels.map((label, index) => ({
    x: label.x + (places[index]?.dx ?? 0),
    y: label.y + (places[index]?.dy ?? 0),
  }));
  for (const [index, box] of boxes.entries()) {
    for (const other of boxes.slice(index + 1)) {
      expect(Math.abs(box.x - other.x) >= 70 || Math.abs(box.y - other.y) >= 15).toBe(true);
    }
  }
});

it("keeps a label inside the plot", () => {
  const [place] = placeLabels([{ text: "c3.large", x: 5, y: 200 }], { marks: [], lines: [] }, FRAME);
  expect(5 + (place?.dx ?? -100)).toBeGreaterThanOrEqual(0);
});

it("leaves a name out before it hides a mark, but never a badge", () => {
  const marks = [{ left: -1_000, right: 2_000, bottom: -1_000, top: 2_000 }];
  const at = { x: 400, y: 200 };
  expect(placeLabels([{ text: "c3.large", ...at }], { marks, lines: [] }, FRAME)).toEqual([null]);
  expect(placeLabels([{ text: "1", needed: true, ...at }], { marks, lines: [] }, FRAME)[0]).not.toBeNull();
});
