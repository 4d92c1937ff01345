import { describe, expect, it } from "vitest";
import { type CellColour, ofFamily, sequential } from "@/charts/colour";

const SHARES = Array.from({ length: 21 }, (_, step) => step / 20);

/** Return the colors of both color schemes, as linear channels from 0 to 1. */
function channels(css: string): number[][] {
  return [...css.matchAll(/#(..)(..)(..)/g)].map((found) =>
    found.slice(1).map((part) => {
      const value = Number.parseInt(part, 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    }),
  );
}

function luminances(css: string): number[] {
  return channels(css).map(([red = 0, green = 0, blue = 0]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue);
}

/** Lightness of CIELAB: another measure of it than the scale is made of. */
function cielab(luminance: number): number {
  return luminance > 0.008856 ? 116 * Math.cbrt(luminance) - 16 : 903.3 * luminance;
}

function contrasts({ fill, ink }: CellColour): number[] {
  const inks = luminances(ink);
  return luminances(fill).map((value, scheme) => {
    const [low = 0, high = 0] = [value, inks[scheme] ?? 0].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  });
}

describe("colors of cells", () => {
  it("have text of readable contrast in both color schemes", () => {
    const all = [
      ...SHARES.map(sequential),
      ...Array.from({ length: 8 }, (_, family) => SHARES.map((share) => ofFamily(family, share))).flat(),
    ];
    for (const colour of all) for (const ratio of contrasts(colour)) expect(ratio).toBeGreaterThanOrEqual(4.5);
  });

  it("go from light to dark, or dark to light, in steps that look equal", () => {
    for (const scheme of [0, 1]) {
      const lightness = SHARES.map((share) => cielab(luminances(sequential(share).fill)[scheme] ?? 0));
      const steps = lightness.slice(1).map((value, at) => (value - (lightness[at] ?? 0)) * (scheme === 0 ? -1 : 1));
      const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
      for (const step of steps) {
        expect(step).toBeGreaterThan(0.6 * mean);
        expect(step).toBeLessThan(1.4 * mean);
      }
    }
  });

  it("differ in lightness within a family, and in hue between families", () => {
    const hue = (css: string) => {
      const [red = 0, green = 0, blue = 0] = channels(css)[0] ?? [];
      return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
    };
    const apart = (a: number, b: number) => Math.abs(((a - b + 540) % 360) - 180);
    for (let family = 0; family < 8; family++) {
      const [small, large] = [ofFamily(family, 0).fill, ofFamily(family, 1).fill];
      expect(luminances(small)[0]).toBeGreaterThan(1.3 * (luminances(large)[0] ?? 0));
      expect(apart(hue(small), hue(large))).toBeLessThan(25);
      for (let other = 0; other < family; other++) {
        expect(apart(hue(large), hue(ofFamily(other, 1).fill))).toBeGreaterThan(10);
      }
    }
  });
});
