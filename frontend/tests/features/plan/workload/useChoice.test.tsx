import { act, renderHook } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Choice, type Search, searchOf } from "@/features/plan/workload/choice";
import { useChoice } from "@/features/plan/workload/useChoice";

describe("the form and the address", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  function form(first: Search) {
    const written: Choice[] = [];
    const replaced: boolean[] = [];
    const write = (choice: Choice, replace: boolean) => {
      written.push(choice);
      replaced.push(replace);
    };
    const hook = renderHook(({ search }) => useChoice(search, write), { initialProps: { search: first } });
    return { hook, written, replaced };
  }

  it("writes once after a pause, not for each key", () => {
    const { hook, written } = form({});
    for (const data of ["2", "20", "20 ", "20 T", "20 TB"]) act(() => hook.result.current.change({ data }));
    expect(hook.result.current.choice.data).toBe("20 TB");
    expect(written).toEqual([]);
    act(() => vi.advanceTimersByTime(200));
    expect(written.map((choice) => choice.data)).toEqual(["20 TB"]);
  });

  it("does not lose what is typed while the address catches up", () => {
    const { hook, written } = form({});
    act(() => hook.result.current.change({ data: "2 TB" }));
    act(() => vi.advanceTimersByTime(200));
    act(() => hook.result.current.change({ data: "2 TBx" }));
    hook.rerender({ search: searchOf(written[0] as Choice) });
    expect(hook.result.current.choice.data).toBe("2 TBx");
    act(() => vi.advanceTimersByTime(200));
    expect(written.map((choice) => choice.data)).toEqual(["2 TB", "2 TBx"]);
  });

  it("follows the address when that changes by itself", () => {
    const { hook, written } = form({ data: "2 TB" });
    hook.rerender({ search: { data: "3 TB", deadline: "1 h" } });
    expect(hook.result.current.choice).toMatchObject({ data: "3 TB", deadline: "1 h" });
    act(() => vi.advanceTimersByTime(200));
    expect(written).toEqual([]);
  });

  it("writes drags at once, the first time as an entry of its own", () => {
    const { hook, written, replaced } = form({});
    const drag = (deadline: string, pace: "new entry" | "drag") => {
      act(() => hook.result.current.change({ deadline }, pace));
      act(() => vi.advanceTimersByTime(0));
    };
    drag("30 min", "new entry");
    drag("29 min", "drag");
    // What is asked is there already; the address follows at the pace that browsers allow.
    expect(hook.result.current.asked.deadline).toBe("29 min");
    expect(written.map((choice) => choice.deadline)).toEqual(["30 min"]);
    act(() => vi.advanceTimersByTime(400));
    expect(written.map((choice) => choice.deadline)).toEqual(["30 min", "29 min"]);
    expect(replaced).toEqual([false, true]);
  });

  it("makes no entry for typing, even after a change that changed nothing", () => {
    const { hook, replaced } = form({});
    act(() => hook.result.current.change({ deadline: "" }, "new entry"));
    act(() => hook.result.current.change({ deadline: "1 h" }));
    act(() => vi.advanceTimersByTime(200));
    expect(replaced).toEqual([true]);
  });
});
