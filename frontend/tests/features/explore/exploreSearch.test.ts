import { expect, it } from "vitest";
import {
  type ExploreSearch,
  exploreSearchFrom,
  filtersIn,
  isFiltered,
  listed,
  NO_FILTERS,
  toggled,
  withChange,
  withFilter,
} from "@/features/explore/search";
import { BUILT_IN, isSame, showing, shownIn } from "@/features/explore/views/builtIn";
import { nextSorting, sortingIn } from "@/lib/sorting";

it("keeps of an address what it understands", () => {
  expect(
    exploreSearchFrom({
      region: "us-east-1",
      purchase: "spot",
      media: "tape",
      scale: "linear",
      where: "vcpus:>=8",
      sort: "",
      other: "x",
      name: 7,
    }),
  ).toEqual({ region: "us-east-1", purchase: "spot", scale: "linear", where: "vcpus:>=8" });
  expect(exploreSearchFrom({ purchase: "on-demand" })).toEqual({});
});

it("puts filters of columns into the address and takes them away, as they were written", () => {
  const where = withFilter(withFilter(undefined, "vcpus", ">=8"), "usd_per_hour", "0.5..1.5");
  expect(where).toBe("vcpus:>=8;usd_per_hour:0.5..1.5");
  expect([...filtersIn(where)]).toEqual([
    ["vcpus", ">=8"],
    ["usd_per_hour", "0.5..1.5"],
  ]);
  expect(withFilter(where, "vcpus", " ")).toBe("usd_per_hour:0.5..1.5");
  expect(withFilter("vcpus:8", "vcpus", "")).toBeUndefined();
  expect(withFilter(undefined, "vcpus", "8;9")).toBe("vcpus:89");
});

it("sorts up, down and not at all in turn", () => {
  expect(nextSorting(undefined, "vcpus")).toBe("vcpus");
  expect(nextSorting("vcpus", "vcpus")).toBe("-vcpus");
  expect(nextSorting("-vcpus", "vcpus")).toBeUndefined();
  expect(nextSorting("-vcpus", "memory_gib")).toBe("memory_gib");
  expect(sortingIn("-vcpus")).toEqual({ column: "vcpus", descending: true });
});

it("compares five at most, each once", () => {
  const five = ["a", "b", "c", "d", "e"];
  const everywhere = () => true;
  expect(toggled(five, "f", everywhere)).toEqual(five);
  expect(toggled(five, "c", everywhere)).toEqual(["a", "b", "d", "e"]);
  // What is not sold here takes no room.
  expect(toggled(five, "f", (name) => name !== "a")).toEqual([...five, "f"]);
  expect(listed("a, b,,a")).toEqual(["a", "b"]);
});

it("drops what leaves types out, and nothing else", () => {
  const search: ExploreSearch = { region: "eu-west-1", name: "i3", media: "ssd", traits: "nitro", where: "vcpus:8" };
  expect(withChange(search, NO_FILTERS)).toEqual({ region: "eu-west-1", series: "all" });
  expect([isFiltered(search), isFiltered({ sort: "vcpus" })]).toEqual([true, false]);
});

it("shows the first page after a change of the rows, and the same page after any other change", () => {
  const search: ExploreSearch = { series: "all", from: "51" };
  expect(withChange(search, { sort: "vcpus" })).toEqual({ series: "all", sort: "vcpus" });
  expect(withChange(search, { compare: "a" })).toEqual({ series: "all", from: "51", compare: "a" });
  expect(withChange(search, { from: "101" })).toEqual({ series: "all", from: "101" });
});

it("replaces every filter, the order and the columns by those of a view, and nothing else", () => {
  const [, nvme] = BUILT_IN;
  const search: ExploreSearch = { region: "eu-west-1", compare: "a", where: "vcpus:8", traits: "nitro", sort: "vcpus" };
  const shown = withChange(search, showing(nvme?.shown ?? {}));
  expect(shown).toEqual({ region: "eu-west-1", compare: "a", ...nvme?.shown });
  expect(BUILT_IN.filter((view) => isSame(view.shown, shownIn(shown)))).toEqual([nvme]);
});
