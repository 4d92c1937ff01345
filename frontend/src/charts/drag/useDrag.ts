// Dragging of an amount by pointer or keys: the handle moves at once, the question at a limited rate.

import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { type Axis, placeOf, valueAt } from "@/charts/axes/axis";
import { rounded, type Scale, stepped } from "./steps";

/** Interval of question updates during a drag [ms]. */
const PACE_MS = 60;
/** Nearer to the far end than this share of the axis is no limit. */
const FAR_END = 0.985;
/** A press that moves less is no drag [px]. */
const STILL_PX = 3;
const KEYS: Record<string, { direction: 1 | -1; coarse: boolean }> = {
  ArrowLeft: { direction: -1, coarse: false },
  ArrowDown: { direction: -1, coarse: false },
  ArrowRight: { direction: 1, coarse: false },
  ArrowUp: { direction: 1, coarse: false },
  PageDown: { direction: -1, coarse: true },
  PageUp: { direction: 1, coarse: true },
};

/** An amount set by dragging; an empty text removes a limit. `first` begins a new entry in the history. */
export interface DragChange {
  text: string;
  first: boolean;
}

/** Whether the far end of an axis is no limit, or just its last value. */
export type Ends = "open" | "closed";

/** What is dragged. `frame` is measured in the handle's parent. */
export interface Dragged {
  /** Along which side the amount is measured. */
  along: "x" | "y";
  /** The amount that holds; null where there is no limit. */
  value: number | null;
  axis: Axis;
  /** How amounts are rounded and written. */
  scale: Scale;
  /** The axis within the handle's parent [px]. */
  frame: { left: number; top: number; width: number; height: number };
  /** The amount as it stands in the question; undefined where it cannot be changed. */
  asked?: string | undefined;
  ends?: Ends;
  /** A press further away than this moves the amount to the pointer [px]; a nearer one keeps its distance. */
  reach_px?: number;
  onChange?: ((change: DragChange) => void) | undefined;
  /** Called when a drag begins and ends: surroundings must not move. */
  onHold?: ((held: boolean) => void) | undefined;
}

interface Drag {
  /** From the pointer to the line [px]. */
  offset: number;
  from: number;
  moved: boolean;
}

/** Follow the pointer at once and update the question at a limited rate; the dragged amount is shown until the question has it. */
export function useDrag({ along, value, axis, scale, frame, asked, onChange, onHold, ...rest }: Dragged) {
  const { ends = "open", reach_px = Number.POSITIVE_INFINITY } = rest;
  const [ahead, setAhead] = useState<{ value: number | null; text: string; sent: boolean } | null>(null);
  const [held, setHeld] = useState(false);
  const drag = useRef<Drag | null>(null);
  // Amount before the drag, for Escape; and whether this drag has its entry in the history.
  const visit = useRef<{ before: { value: number | null; text: string }; written: boolean } | null>(null);
  const pace = usePace();
  // The answer has caught up, or the question was changed elsewhere meanwhile.
  if (ahead?.sent && !held && (ahead.value === value || ahead.text !== asked)) setAhead(null);
  const shown = ahead === null ? value : ahead.value;

  const begin = () => {
    visit.current ??= { before: { value: shown, text: asked ?? "" }, written: false };
  };
  const write = (text: string) => {
    if (visit.current === null) return;
    onChange?.({ text, first: !visit.current.written });
    visit.current.written = true;
    setAhead((now) => (now?.text === text ? { ...now, sent: true } : now));
  };
  const set = (next: number | null, text = next === null ? "" : scale.written(next)) => {
    setAhead({ value: next, text, sent: false });
    pace.send(() => write(text));
  };
  const restore = () => {
    const { before, written } = visit.current ?? {};
    pace.cancel();
    if (before === undefined) return;
    setAhead(written ? { ...before, sent: false } : null);
    if (written) write(before.text);
  };
  const release = () => {
    drag.current = null;
    pace.flush();
    setHeld(false);
    onHold?.(false);
  };

  const follow = (pointer: number, plot: DOMRect) => {
    const line = pointer + (drag.current?.offset ?? 0);
    const share =
      along === "x" ? (line - plot.left - frame.left) / frame.width : 1 - (line - plot.top - frame.top) / frame.height;
    set(heldAt(share, axis, scale, ends));
  };

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const pointer = along === "x" ? event.clientX : event.clientY;
    const plot = event.currentTarget.parentElement?.getBoundingClientRect();
    if (plot === undefined) return;
    const share = placeOf(shown, axis);
    const line =
      along === "x" ? plot.left + frame.left + share * frame.width : plot.top + frame.top + (1 - share) * frame.height;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    event.preventDefault();
    visit.current = null;
    begin();
    const near = Math.abs(line - pointer) <= reach_px;
    drag.current = { offset: near ? line - pointer : 0, from: pointer, moved: !near };
    setHeld(true);
    onHold?.(true);
    if (!near) follow(pointer, plot);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const plot = event.currentTarget.parentElement?.getBoundingClientRect();
    if (drag.current === null || plot === undefined) return;
    const pointer = along === "x" ? event.clientX : event.clientY;
    drag.current.moved ||= Math.abs(pointer - drag.current.from) > STILL_PX;
    if (drag.current.moved) follow(pointer, plot);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key === "Escape") {
      if (visit.current === null || (drag.current === null && !visit.current.written)) return;
      // What lies around closes on Escape too; this one was for the line.
      event.stopPropagation();
      restore();
      if (drag.current !== null) release();
      visit.current = null;
      return;
    }
    const next = keyed(event.key, shown, axis, scale, ends);
    if (next === undefined) return;
    event.preventDefault();
    begin();
    set(next);
  };
  const leave = () => {
    pace.flush();
    visit.current = null;
  };
  return {
    shown,
    held,
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp: () => drag.current !== null && release(),
      onPointerCancel: () => {
        if (drag.current === null) return;
        restore();
        release();
      },
      onKeyDown,
      onBlur: leave,
    },
  };
}

/** The amount at a position along an axis; null at the far end of an open one. */
function heldAt(share: number, axis: Axis, scale: Scale, ends: Ends): number | null {
  if (ends === "closed") return rounded(valueAt(Math.min(1, Math.max(0, share)), axis), scale);
  return share >= FAR_END ? null : rounded(valueAt(Math.max(0.005, share), axis), scale);
}

/** What a key makes of an amount: undefined where it is no key of a slider. */
export function keyed(
  key: string,
  value: number | null,
  axis: Axis,
  scale: Scale,
  ends: Ends = "open",
): number | null | undefined {
  if (ends === "closed") return keyedWithin(key, value, axis, scale);
  if (key === "Delete" || key === "Backspace" || key === "End") return null;
  if (key === "Home") return stepped(axis.low > 0 ? axis.low : axis.high / 100, 1, false, scale);
  const step = KEYS[key];
  if (step === undefined) return undefined;
  if (value === null) return step.direction > 0 ? null : stepped(axis.high, -1, step.coarse, scale);
  const next = stepped(value, step.direction, step.coarse, scale);
  return step.direction > 0 && next >= axis.high ? null : next;
}

/** The same where there is always an amount, between two ends. */
function keyedWithin(key: string, value: number | null, { low, high }: Axis, scale: Scale): number | undefined {
  if (key === "Home") return low;
  if (key === "End") return high;
  const step = KEYS[key];
  if (step === undefined) return undefined;
  return Math.min(high, Math.max(low, stepped(value ?? low, step.direction, step.coarse, scale)));
}

interface Pace {
  send: (action: () => void) => void;
  flush: () => void;
  cancel: () => void;
}

/** Let actions through at a pace: the first at once, later ones no oftener, the last one for certain. */
function usePace(): Pace {
  const state = useRef<{ timer: number | undefined; waiting: (() => void) | null }>({
    timer: undefined,
    waiting: null,
  });
  const [pace] = useState<Pace>(() => {
    const next = () => {
      const { waiting } = state.current;
      state.current.timer = undefined;
      state.current.waiting = null;
      if (waiting === null) return;
      waiting();
      state.current.timer = window.setTimeout(next, PACE_MS);
    };
    return {
      send: (action) => {
        state.current.waiting = action;
        if (state.current.timer === undefined) next();
      },
      flush: () => {
        window.clearTimeout(state.current.timer);
        next();
        window.clearTimeout(state.current.timer);
        state.current.timer = undefined;
      },
      cancel: () => {
        window.clearTimeout(state.current.timer);
        state.current.timer = undefined;
        state.current.waiting = null;
      },
    };
  });
  useEffect(() => pace.cancel, [pace]);
  return pace;
}
