// Dragging of amounts by pointer or keyboard: the handle moves immediately, the question is rate-limited.

import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { type Axis, placeOf, valueAt } from "@/charts/axes/axis";
import { rounded, type Scale, stepped } from "./steps";
import { useFrame } from "./useFrame";

/** Interval of question updates during a drag [ms]. */
const PACE_MS = 60;
/** Rest after which the question follows keys whose effect is drawn already [ms]. */
const REST_MS = 300;
/** Positions beyond this share of an open axis mean no limit. */
const FAR_END = 0.985;
/** Smallest movement that counts as a drag [px]. */
const STILL_PX = 3;
const KEYS: Record<string, { direction: 1 | -1; coarse: boolean }> = {
  ArrowLeft: { direction: -1, coarse: false },
  ArrowDown: { direction: -1, coarse: false },
  ArrowRight: { direction: 1, coarse: false },
  ArrowUp: { direction: 1, coarse: false },
  PageDown: { direction: -1, coarse: true },
  PageUp: { direction: 1, coarse: true },
};

/** Amount set by dragging; an empty text removes the limit. `first` adds a history entry. */
export interface DragChange {
  text: string;
  first: boolean;
}

/** Meaning of the far end of an axis: no limit (`open`), or its last value (`closed`). */
export type Ends = "open" | "closed";

/** Dragged amount. `frame` is relative to the handle's parent. */
export interface Dragged {
  /** Axis of the amount. */
  along: "x" | "y";
  /** Current amount; null without a limit. */
  value: number | null;
  axis: Axis;
  /** Rounding and format of the amount. */
  scale: Scale;
  /** Bounds of the axis in the handle's parent [px]. */
  frame: { left: number; top: number; width: number; height: number };
  /** Amount as written in the question; undefined if read-only. */
  asked?: string | undefined;
  ends?: Ends;
  /** Distance beyond which a press moves the amount to the pointer [px]; closer presses keep their distance. */
  reach_px?: number;
  onChange?: ((change: DragChange) => void) | undefined;
  /**
   * Draws the effect of an amount at once; true if that is done, so that the question can wait for the release, or for a
   * rest of the keys.
   */
  onMove?: ((value: number | null) => boolean) | undefined;
  /** Called when a drag starts and ends, for example to freeze the layout. */
  onHold?: ((held: boolean) => void) | undefined;
}

interface Drag {
  /** Distance from the pointer to the line [px]. */
  offset: number;
  from: number;
  moved: boolean;
}

/**
 * Follow the pointer immediately and update the question at a limited rate. The dragged amount is shown until the
 * question contains it.
 */
export function useDrag({ along, value, axis, scale, frame, asked, onChange, onMove, onHold, ...rest }: Dragged) {
  const { ends = "open", reach_px = Number.POSITIVE_INFINITY } = rest;
  const [ahead, setAhead] = useState<{ value: number | null; text: string; sent: boolean } | null>(null);
  const [held, setHeld] = useState(false);
  const drag = useRef<Drag | null>(null);
  // Amount before the drag, restored by Escape, and if the drag has a history entry.
  const visit = useRef<{ before: { value: number | null; text: string }; written: boolean } | null>(null);
  const pace = usePace();
  const frames = useFrame();
  // The answer has caught up, or the question changed elsewhere.
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
    const isDrawn = onMove?.(next) === true;
    if (isDrawn) pace.wait(() => write(text), drag.current === null);
    else pace.send(() => write(text));
  };
  const restore = () => {
    const { before, written } = visit.current ?? {};
    frames.cancel();
    pace.cancel();
    if (before === undefined) return;
    onMove?.(before.value);
    setAhead(written ? { ...before, sent: false } : null);
    if (written) write(before.text);
  };
  const release = () => {
    frames.flush();
    drag.current = null;
    pace.flush();
    setHeld(false);
    onHold?.(false);
  };

  const follow = (pointer: number, parent: Element) => {
    const plot = parent.getBoundingClientRect();
    const line = pointer + (drag.current?.offset ?? 0);
    const share =
      along === "x" ? (line - plot.left - frame.left) / frame.width : 1 - (line - plot.top - frame.top) / frame.height;
    set(heldAt(share, axis, scale, ends));
  };

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const pointer = along === "x" ? event.clientX : event.clientY;
    const parent = event.currentTarget.parentElement;
    if (parent === null) return;
    const plot = parent.getBoundingClientRect();
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
    if (!near) follow(pointer, parent);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const parent = event.currentTarget.parentElement;
    if (drag.current === null || parent === null) return;
    const pointer = along === "x" ? event.clientX : event.clientY;
    drag.current.moved ||= Math.abs(pointer - drag.current.from) > STILL_PX;
    if (drag.current.moved) frames.run(() => follow(pointer, parent));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key === "Escape") {
      if (visit.current === null || (drag.current === null && !visit.current.written && ahead === null)) return;
      // Escape only cancels the drag; it must not close a surrounding dialog.
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

/** Convert a position along an axis to an amount; null at the far end of an open axis. */
function heldAt(share: number, axis: Axis, scale: Scale, ends: Ends): number | null {
  if (ends === "closed") return rounded(valueAt(Math.min(1, Math.max(0, share)), axis), scale);
  return share >= FAR_END ? null : rounded(valueAt(Math.max(0.005, share), axis), scale);
}

/** Compute the amount after a key press; undefined if the key has no effect. */
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

/** Compute the amount after a key press, within a closed axis. */
function keyedWithin(key: string, value: number | null, { low, high }: Axis, scale: Scale): number | undefined {
  if (key === "Home") return low;
  if (key === "End") return high;
  const step = KEYS[key];
  if (step === undefined) return undefined;
  return Math.min(high, Math.max(low, stepped(value ?? low, step.direction, step.coarse, scale)));
}

interface Pace {
  send: (action: () => void) => void;
  /** Replaces what waits: it runs when flushed, or after a rest if it does not wait for a release. */
  wait: (action: () => void, rests: boolean) => void;
  flush: () => void;
  cancel: () => void;
}

/** Return a throttle: the first action runs immediately, later ones at the pace, and the last one always runs. */
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
      wait: (action, rests) => {
        window.clearTimeout(state.current.timer);
        state.current.waiting = action;
        state.current.timer = rests ? window.setTimeout(next, REST_MS) : undefined;
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
