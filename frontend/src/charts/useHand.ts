// A hand on a limit: by pointer or by keys, at once in the plot and at a pace in the question.

import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { type Axis, placeOf, valueAt } from "./axis";
import type { LimitLineProps } from "./LimitLine";
import { rounded, type Scale, stepped } from "./steps";

/** How often the question follows a moving hand [ms]. */
const PACE_MS = 120;
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

interface Drag {
  /** From the pointer to the line [px]. */
  offset: number;
  from: number;
  moved: boolean;
}

/** Follow the hand at once and the question at its pace; what the hand set stays until the answer keeps to it. */
export function useHand({ along, value, axis, scale, frame, asked, onChange, onHold }: LimitLineProps) {
  const [ahead, setAhead] = useState<{ value: number | null; text: string } | null>(null);
  const [held, setHeld] = useState(false);
  const drag = useRef<Drag | null>(null);
  // What stood before the hand came, for Escape; and whether this visit has its entry in the history.
  const visit = useRef<{ before: { value: number | null; text: string }; written: boolean } | null>(null);
  const pace = usePace();
  // The answer has caught up, or somebody else changed the question meanwhile.
  if (ahead !== null && !held && (ahead.value === value || ahead.text !== asked)) setAhead(null);
  const shown = ahead === null ? value : ahead.value;

  const begin = () => {
    visit.current ??= { before: { value: shown, text: asked ?? "" }, written: false };
  };
  const write = (text: string) => {
    if (visit.current === null) return;
    onChange?.({ text, first: !visit.current.written });
    visit.current.written = true;
  };
  const set = (next: number | null, text = next === null ? "" : scale.written(next)) => {
    setAhead({ value: next, text });
    pace.send(() => write(text));
  };
  const restore = () => {
    const { before, written } = visit.current ?? {};
    pace.cancel();
    if (before === undefined) return;
    setAhead(written ? before : null);
    if (written) write(before.text);
  };
  const release = () => {
    drag.current = null;
    pace.flush();
    setHeld(false);
    onHold?.(false);
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
    drag.current = { offset: line - pointer, from: pointer, moved: false };
    setHeld(true);
    onHold?.(true);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const plot = event.currentTarget.parentElement?.getBoundingClientRect();
    if (drag.current === null || plot === undefined) return;
    const pointer = along === "x" ? event.clientX : event.clientY;
    drag.current.moved ||= Math.abs(pointer - drag.current.from) > STILL_PX;
    if (!drag.current.moved) return;
    const line = pointer + drag.current.offset;
    const share =
      along === "x" ? (line - plot.left - frame.left) / frame.width : 1 - (line - plot.top - frame.top) / frame.height;
    set(share >= FAR_END ? null : rounded(valueAt(Math.max(0.005, share), axis), scale));
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
    const next = keyed(event.key, shown, axis, scale);
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

/** What a key makes of a limit: undefined where it is no key of a slider. */
export function keyed(key: string, value: number | null, axis: Axis, scale: Scale): number | null | undefined {
  if (key === "Delete" || key === "Backspace" || key === "End") return null;
  if (key === "Home") return stepped(axis.low > 0 ? axis.low : axis.high / 100, 1, false, scale);
  const step = KEYS[key];
  if (step === undefined) return undefined;
  if (value === null) return step.direction > 0 ? null : stepped(axis.high, -1, step.coarse, scale);
  const next = stepped(value, step.direction, step.coarse, scale);
  return step.direction > 0 && next >= axis.high ? null : next;
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
