import ranges from "@tests/fixtures/ranges.json";
import { describe, expect, it } from "vitest";
import {
  about,
  chance,
  day,
  duration,
  durationRange,
  rateWords,
  risk,
  threeDigits,
  usd,
  withAbout,
} from "@/lib/wording";

describe("numbers read as in the service's sentences", () => {
  it.each([
    [1234.5, "1,230"],
    [12.345, "12.3"],
    [0.98765, "0.988"],
    [0, "0"],
    [999.6, "1,000"],
    [123456789, "123,000,000"],
    [1e-9, "0.000000001"],
    [1125, "1,120"],
    [1135, "1,140"],
  ])("three digits of %d are %s", (value, text) => expect(threeDigits(value)).toBe(text));

  it.each([
    [0.5, "500 ms"],
    [3599.7, "1 h"],
    [9.996, "10 s"],
    [59.6, "1 min"],
    [1010, "16 min 50 s"],
    [1784.82, "29 min 45 s"],
    [5400, "1 h 30 min"],
    [200_000, "2 d 8 h"],
    [12.5, "12 s"],
  ])("%d s are %s", (seconds, text) => expect(duration(seconds)).toBe(text));

  it.each([
    [324.53, "$325"],
    [2.5, "$2.50"],
    [1234, "$1,230"],
    [0.004, "$0.004"],
    [0.0999, "$0.0999"],
    [33.418, "$33.40"],
  ])("%d USD are %s", (amount, text) => expect(usd(amount)).toBe(text));

  it.each([
    ["EUR", 0.86, "about €963"],
    ["JPY", 151.2, "about ¥169,000"],
    ["CHF", 0.8, "about CHF 896"],
  ] as const)("1,120 USD in %s at %d are %s", (code, usd_rate, text) =>
    expect(about(1_120, { code, usd_rate, since: "2026-11-28" })).toBe(text),
  );

  it("inserts the converted sum behind the sum, and nothing where the sentence does not state it", () => {
    const euro = { code: "EUR", usd_rate: 0.86, since: "2026-11-28" } as const;
    const said = "Cheapest: 9 × i3.8xlarge sort 1 TB in 9 min for $32.50 ($31–$34).";
    expect(withAbout(said, 32.5, euro)).toBe(
      "Cheapest: 9 × i3.8xlarge sort 1 TB in 9 min for $32.50, about €27.90 ($31–$34).",
    );
    expect(withAbout(said, 31, euro)).toBe(said);
    expect(withAbout(said, Number.NaN, euro)).toBe(said);
    expect(withAbout(said, 32.5, null)).toBe(said);
    expect(rateWords(euro)).toBe("1 USD = 0.86 EUR as of 2026-11-28, given by the team");
  });

  it.each([
    [1510, 2109, "25–35 min"],
    [100, 119.9, "100–120 s"],
    [5, 9, "5–9 s"],
    [8e5, 1e6, "9.26–11.6 d"],
  ])("%d to %d s are %s", (p10, p90, text) => expect(durationRange({ p10, p50: (p10 + p90) / 2, p90 })).toBe(text));

  it.each(ranges)("$centre stands within $range", ({ p10, p50, p90, centre, range }) => {
    expect([duration(p50), durationRange({ p10, p50, p90 })]).toEqual([centre, range]);
  });

  it("writes no central value outside its range, for any rounding", () => {
    const units: Record<string, number> = { ms: 0.001, s: 1, min: 60, h: 3600, d: 86_400 };
    const read_s = (text: string) =>
      [...text.replaceAll(",", "").matchAll(/([\d.]+) (ms|s|min|h|d)/g)].reduce(
        (sum, [, value, unit]) => sum + Number(value) * (units[unit ?? ""] ?? Number.NaN),
        0,
      );
    for (let exponent = -2; exponent < 6.5; exponent += 0.0037) {
      const p50 = 10 ** exponent;
      for (const width of [0, 0.0003, 0.004, 0.03, 0.4]) {
        const [low, high, unit] = durationRange({ p10: p50 * (1 - width), p50, p90: p50 * (1 + width) }).split(/[– ]/);
        const [from, to] = [low, high].map((end) => read_s(`${end} ${unit}`));
        const centre = read_s(duration(p50));
        expect(centre, `${p50} ± ${width}`).toBeGreaterThanOrEqual((from ?? Number.NaN) * (1 - 1e-12));
        expect(centre, `${p50} ± ${width}`).toBeLessThanOrEqual((to ?? Number.NaN) * (1 + 1e-12));
      }
    }
  });

  it.each([
    [0, "0%"],
    [0.5, "50%"],
    [0.99, "99%"],
    [0.998765, "99.9%"],
    [0.9999, "over 99.9%"],
    [1, "100%"],
    [1e-9, "under 0.0001%"],
    [0.00043, "0.043%"],
    [1.2345e-5, "0.0012%"],
  ])("a chance of %d is %s", (probability, text) => expect(chance(probability)).toBe(text));

  it.each([
    [0.95, "5%"],
    [1, "under 0.0001%"],
    [0, "100%"],
  ])("what is met with a chance of %d is missed with one of %s", (met, text) => expect(risk(met)).toBe(text));

  it("never calls a chance certain or impossible that is neither", () => {
    for (let exponent = 1; exponent <= 15; exponent += 1) {
      expect(chance(1 - 10 ** -exponent)).not.toBe("100%");
      expect(chance(10 ** -exponent)).not.toBe("0%");
    }
  });

  it("writes dates as the service means them, in every time zone", () => {
    expect(day("2014-10-01")).toBe("1 Oct 2014");
  });
});
