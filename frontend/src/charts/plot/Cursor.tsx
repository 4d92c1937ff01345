// The cursor of plots: nearest point under the pointer, walk by keyboard, tooltip.

import {
  type HTMLAttributes,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type SVGAttributes,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { ChartPoint, PlaneFigure } from "@/charts/figure";
import type { Layout } from "./layout";
import classes from "./Plot.module.css";

export interface Spot {
  x: number;
  y: number;
}

/** Point that the cursor finds. */
export interface Target {
  id: string;
  point: ChartPoint;
  spot: Spot;
  /** True if only the cursor finds it, and another mark draws it. */
  hidden: boolean;
}

const REACH_PX = 16;

/** Return the id of a point, unique in its figure. */
export function targetId(mark: string, point: string): string {
  return `${mark} ${point}`;
}

/** Return the points of a figure that have a tooltip. */
export function targetsOf({ panels }: Layout): Target[] {
  return panels.flatMap(({ panel, plane }) =>
    panel.marks.flatMap((mark) =>
      mark.kind !== "points"
        ? []
        : mark.points
            .filter(({ words }) => words !== undefined)
            .map((point) => ({
              id: targetId(mark.key, point.key),
              point,
              spot: { x: plane.x(point.x), y: plane.y(point.y) },
              hidden: mark.hidden === true,
            })),
    ),
  );
}

/** Return the index of the point nearest to a position, within `reach` [px]; filtered points come last. */
export function nearest(
  points: readonly Pick<ChartPoint, "faint">[],
  spots: readonly Spot[],
  at: Spot,
  reach: number,
): number {
  let found = -1;
  let least = reach;
  for (const [index, spot] of spots.entries()) {
    const far = Math.hypot(spot.x - at.x, spot.y - at.y) + (points[index]?.faint ? reach / 2 : 0);
    // Of points at one position the last is on top.
    if (far <= least) {
      least = far;
      found = index;
    }
  }
  return found;
}

/** Return the list index that a key moves to; undefined for other keys. */
function movedTo(key: string, index: number, last: number): number | undefined {
  const to: Record<string, number> = {
    ArrowRight: Math.min(last, index + 1),
    ArrowDown: Math.min(last, index + 1),
    ArrowLeft: Math.max(0, index - 1),
    ArrowUp: Math.max(0, index - 1),
    Home: 0,
    End: last,
  };
  return to[key];
}

interface TipContent {
  lines: readonly string[];
  at: Spot;
}

/** What the pointer is on: a point, or another mark with words. */
type Pointed = { target: Target } | { words: string; at: Spot };

interface CursorProps {
  targets: readonly Target[];
  figure: PlaneFigure;
  selected: string | undefined;
  onPick: ((key: string) => void) | undefined;
  /** True if points have a card, which the pointer can enter. */
  carded: boolean;
}

/** Time for the pointer to move from a point into its card [ms]. */
const ON_THE_WAY_MS = 160;

/** State that changes after a while, unless it is kept. */
function useLingering<State>(initial: State) {
  const [state, set] = useState(initial);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const keep = () => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  const setNow = (next: State) => {
    keep();
    set(next);
  };
  const setLater = (next: State) => {
    keep();
    timer.current = setTimeout(() => set(next), ON_THE_WAY_MS);
  };
  return { state, setNow, setLater, keep };
}

/** Follow pointer and keyboard over the points of a figure. */
export function useCursor({ targets, figure, selected, onPick, carded }: CursorProps) {
  const { state: pointed, setNow, setLater, keep } = useLingering<Pointed | null>(null);
  const [at, setAt] = useState<string | null>(null);
  const [focused, setFocused] = useState(false);
  const list = figure.list === true;
  const order = useMemo(() => (list ? inOrderOf(targets) : []), [list, targets]);
  const atKeyboard = order.find(({ id, point }) => (at === null ? point.key === selected : id === at)) ?? order[0];
  const underPointer = pointed !== null && "target" in pointed ? latest(targets, pointed.target) : undefined;
  const current = underPointer ?? (focused ? atKeyboard : undefined);
  const pick = (target: Target) => {
    setAt(target.id);
    onPick?.(target.point.key);
  };
  const point = (next: Pointed | null) => {
    if (underPointer === undefined || !carded) setNow(next);
    else if (next !== null && "target" in next && next.target.id === underPointer.id) keep();
    else setLater(next);
  };
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const next = under(event, targets);
    if (event.pointerType === "touch") setNow(next);
    else point(next);
  };
  const walk = (event: KeyboardEvent<SVGSVGElement>) => {
    const index = atKeyboard === undefined ? -1 : order.indexOf(atKeyboard);
    const next = movedTo(event.key, index, order.length - 1);
    if (next !== undefined) {
      const target = order[next];
      setAt(target?.id ?? null);
      setFocused(true);
      optionOf(event.currentTarget, target)?.focus();
    } else if ((event.key === "Enter" || event.key === " ") && atKeyboard !== undefined) pick(atKeyboard);
    else if (event.key === "Escape") setFocused(false);
    else return;
    event.preventDefault();
  };
  const pointing: SVGAttributes<SVGSVGElement> = {
    onPointerMove: follow,
    onPointerDown: follow,
    onPointerLeave: () => point(null),
    ...(onPick !== undefined && {
      onClick: (event) => {
        // A touch shows the card, which has a button for the details.
        const touched = carded && (event.nativeEvent as { pointerType?: string }).pointerType === "touch";
        if (underPointer !== undefined && !touched) pick(underPointer);
      },
    }),
  };
  const walking: SVGAttributes<SVGSVGElement> = {
    onKeyDown: walk,
    onFocus: (event) => {
      const own = event.target.closest<SVGElement>("[data-target]")?.dataset["target"];
      if (own !== undefined) setAt(own);
      setFocused(true);
    },
    onBlur: ({ relatedTarget }) => {
      if (!isInCard(relatedTarget)) setFocused(false);
    },
  };
  const card: HTMLAttributes<HTMLDivElement> = {
    onPointerEnter: keep,
    onPointerLeave: () => point(null),
    onBlur: ({ relatedTarget }) => {
      if (!isInCard(relatedTarget)) setFocused(false);
    },
    onKeyDown: (event) => {
      if (event.key !== "Escape") return;
      setNow(null);
      setFocused(false);
      const plot = event.currentTarget.parentElement?.querySelector("svg");
      if (plot) optionOf(plot, atKeyboard)?.focus();
    },
  };
  return {
    current,
    order,
    inOrder: list ? atKeyboard?.id : undefined,
    pointed: underPointer !== undefined,
    tip: tipOf(current, pointed, figure.crowded === true ? targets : []),
    handlers: list ? { ...pointing, ...walking } : pointing,
    card,
  };
}

/** Return the order of the keyboard: from left to right, without filtered points that are not drawn. */
function inOrderOf(targets: readonly Target[]): Target[] {
  return targets
    .filter(({ hidden, point }) => point.listed !== false && !(hidden && point.faint === true))
    .toSorted((a, b) => a.point.x - b.point.x || a.point.y - b.point.y);
}

/** Return the point with the same id, of the figure as it is now. */
function latest(targets: readonly Target[], { id }: Target): Target | undefined {
  return targets.find((target) => target.id === id);
}

function optionOf(plot: SVGSVGElement, target: Target | undefined): SVGElement | undefined {
  return [...plot.querySelectorAll<SVGElement>("[data-target]")].find(
    ({ dataset }) => dataset["target"] === target?.id,
  );
}

function under(event: PointerEvent<SVGSVGElement>, targets: readonly Target[]): Pointed | null {
  const over = event.target as Element;
  const own = over.closest<SVGElement>("[data-target]")?.dataset["target"];
  const direct = own === undefined ? undefined : targets.find(({ id }) => id === own);
  if (direct !== undefined) return { target: direct };
  const box = event.currentTarget.getBoundingClientRect();
  const at = { x: event.clientX - box.left, y: event.clientY - box.top };
  const reach = event.pointerType === "touch" ? 2 * REACH_PX : REACH_PX;
  const found = nearest(
    targets.map(({ point }) => point),
    targets.map(({ spot }) => spot),
    at,
    reach,
  );
  const target = targets[found];
  if (target !== undefined) return { target };
  const words = over.closest<SVGElement>("[data-words]")?.dataset["words"];
  return words === undefined ? null : { words, at };
}

function tipOf(current: Target | undefined, pointed: Pointed | null, crowd: readonly Target[]): TipContent | null {
  if (current !== undefined) {
    const lines = current.point.words ?? [];
    const more = crowd.filter(({ spot }) => near(spot, current.spot)).length - 1;
    return { lines: more > 0 ? [...lines, `${more} more at this very place`] : lines, at: current.spot };
  }
  return pointed !== null && "words" in pointed ? { lines: [pointed.words], at: pointed.at } : null;
}

function near(one: Spot, other: Spot): boolean {
  return Math.abs(one.x - other.x) < 0.5 && Math.abs(one.y - other.y) < 0.5;
}

/** Check if the focus moves into the card of a point. */
function isInCard(element: EventTarget | null): boolean {
  return element instanceof Element && element.closest("[data-card]") !== null;
}

const CARD_PX = { width: 280, height: 190, gap: 14 };

interface CardProps {
  handlers: HTMLAttributes<HTMLDivElement>;
  name: string;
  target: Target;
  /** Size of the drawing [px]. */
  size: { width: number; height: number };
  children: ReactNode;
}

/** Render the card of a point: above it if there is room, else below, so that it covers no point beside it. */
export function Card({ handlers, name, target: { spot: at }, size, children }: CardProps) {
  const left = Math.min(Math.max(0, at.x - CARD_PX.width / 2), Math.max(0, size.width - CARD_PX.width));
  const above = at.y > CARD_PX.height + CARD_PX.gap;
  const side = above ? { bottom: size.height - at.y + CARD_PX.gap } : { top: at.y + CARD_PX.gap };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      role="group"
      aria-label={name}
      data-card
      className={classes.card}
      style={{ left, width: Math.min(CARD_PX.width, size.width), ...side }}
      {...handlers}
    >
      {children}
    </div>
  );
}

/** Render a tooltip; labels of points contain the same for screen readers. */
export function Tip({ lines: [name, ...facts], at, width }: TipContent & { width: number }) {
  const side = at.x > width / 2 ? { right: width - at.x + 14 } : { left: at.x + 14 };
  return (
    <div className={classes.tip} aria-hidden="true" data-testid="tip" style={{ ...side, top: Math.max(0, at.y - 24) }}>
      {facts.length > 0 ? <strong>{name}</strong> : <span>{name}</span>}
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </div>
  );
}
