import { fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { COSTS } from "@/charts/drag/steps";
import { useDrag } from "@/charts/drag/useDrag";

const AXIS = { low: 0, high: 100, log: false };
/** One pixel for each dollar. */
const FRAME = { left: 0, top: 0, width: 100, height: 20 };

const onMove = vi.fn();
const onChange = vi.fn();
/** What waits for the next frame. */
let waiting: FrameRequestCallback[];

function Handle() {
  const { shown, handlers } = useDrag({
    along: "x",
    value: 50,
    asked: "50 USD",
    axis: AXIS,
    scale: COSTS,
    frame: FRAME,
    onMove,
    onChange,
  });
  return <div role="slider" tabIndex={0} aria-valuenow={shown ?? 0} {...handlers} />;
}

/** Draw the next frame. */
function draw(): void {
  for (const run of waiting.splice(0)) run(0);
}

/** Return the held handle. */
function held(): HTMLElement {
  render(<Handle />);
  const handle = screen.getByRole("slider");
  handle.setPointerCapture = () => undefined;
  fireEvent.pointerDown(handle, { clientX: 50 });
  return handle;
}

beforeEach(() => {
  onMove.mockReset().mockReturnValue(true);
  onChange.mockReset();
  waiting = [];
  vi.stubGlobal("requestAnimationFrame", (run: FrameRequestCallback) => waiting.push(run));
  vi.stubGlobal("cancelAnimationFrame", () => {
    waiting = [];
  });
});

it("draws the last of several movements, once a frame", () => {
  const handle = held();
  for (const clientX of [56, 58, 60]) fireEvent.pointerMove(handle, { clientX });
  expect(onMove).not.toHaveBeenCalled();
  draw();
  expect(onMove.mock.calls).toEqual([[60]]);
  expect(handle.getAttribute("aria-valuenow")).toBe("60");
  fireEvent.pointerMove(handle, { clientX: 70 });
  draw();
  expect(onMove.mock.calls).toEqual([[60], [70]]);
});

it("asks for the last movement, even if released before its frame", () => {
  const handle = held();
  fireEvent.pointerMove(handle, { clientX: 60 });
  fireEvent.pointerUp(handle);
  expect(onMove.mock.calls).toEqual([[60]]);
  expect(onChange.mock.calls).toEqual([[{ text: "60 USD", first: true }]]);
  draw();
  expect(onMove).toHaveBeenCalledOnce();
});

it("forgets a movement that Escape cancels before its frame", () => {
  const handle = held();
  fireEvent.pointerMove(handle, { clientX: 60 });
  fireEvent.keyDown(handle, { key: "Escape" });
  draw();
  expect(onMove.mock.calls).toEqual([[50]]);
  expect(onChange).not.toHaveBeenCalled();
  expect(handle.getAttribute("aria-valuenow")).toBe("50");
});
