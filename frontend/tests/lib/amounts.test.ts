import { describe, expect, it } from "vitest";
import { secondsIn, shareText, usdIn } from "@/lib/amounts";

describe("amounts as people write them", () => {
  it.each([
    ["30 min", 1_800],
    ["1 h 30 min", 5_400],
    ["2d", 172_800],
    ["7.5 s", 7.5],
    ["1,500 s", 1_500],
    ["", null],
    ["30", null],
    ["-5 min", null],
    ["0 s", null],
    ["30 minutes", null],
  ])("%j is %j s", (text, seconds) => expect(secondsIn(text)).toBe(seconds));

  it.each([
    ["$500", 500],
    ["1,200.50 USD", 1_200.5],
    ["500", 500],
    ["USD 3", 3],
    ["500 EUR", null],
    ["", null],
    ["$0", null],
  ])("%j is %j USD", (text, usd) => expect(usdIn(text)).toBe(usd));

  it.each([
    [0.95, "95 %"],
    [0.001, "0.1 %"],
    [0.07, "7 %"],
  ])("%d is %s", (share, text) => expect(shareText(share)).toBe(text));
});
