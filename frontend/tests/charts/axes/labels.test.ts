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

/** Numbers from 0 to 1 that look random, and are the same in each run. */
function* numbers(seed: number): Generator<number, number> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])("covers no mark and no other label among sixty marks (%d)", (seed) => {
  const random = numbers(seed);
  const spot = () => ({ x: FRAME.width * random.next().value, y: FRAME.height * random.next().value });
  const marks = Array.from({ length: 60 }, () => {
    const { x, y } = spot();
    return { left: x - 8, right: x + 8, bottom: y - 8, top: y + 8 };
  });
  const labels = Array.from({ length: 20 }, (_, index) => ({
    text: index < 6 ? "today" : "i8g.metal-24xl",
    needed: index < 6,
    ...spot(),
  }));
  const places = placeLabels(labels, { marks, lines: [] }, FRAME);
  const boxes = labels.flatMap(({ text, x, y, needed }, index) => {
    const place = places[index];
    const room = needed ? 4 : 0;
    if (place == null) return [];
    const [left, bottom] = [x + place.dx - room, y + place.dy];
    return [{ left, right: left + 7 * text.length + 2 * room, bottom, top: bottom + 15 }];
  });
  // All badges, and many of the names, find a place.
  expect(places.slice(0, 6)).not.toContain(null);
  expect(boxes.length).toBeGreaterThan(10);
  for (const [index, box] of boxes.entries()) {
    for (const other of [...boxes.slice(index + 1), ...marks]) {
      const apart =
        box.right <= other.left || other.right <= box.left || box.top <= other.bottom || other.top <= box.bottom;
      expect(apart).toBe(true);
    }
  }
});
