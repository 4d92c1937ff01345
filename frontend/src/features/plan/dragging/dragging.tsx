// Dragging a limit: the rows are looked up and drawn at once, and the question follows when the limit is released.

import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { PlanAnswer, RankedAnswer } from "@/api/generated";
import { COSTS, TIMES } from "@/charts/drag/steps";
import type { AskedLimits, RowsByLimit } from "./rowsByLimit";

export type LimitField = "deadline" | "budget";

/** Rows drawn ahead of the answer, and the limits that they are within. */
interface Drawn {
  limits: AskedLimits;
  rows: RankedAnswer[];
  /** The limit that is dragged; undefined if the question has the limits already. */
  field?: LimitField;
}

/** Rest after which what is not seen follows a dragged limit [ms]. */
const REST_MS = 100;

/** Rows drawn ahead, kept outside of React's state: only what shows them renders at each step. */
class DrawnStore {
  private drawn: Drawn | undefined;
  private rested: Drawn | undefined;
  private timer: number | undefined;
  private readonly listeners = new Set<() => void>();

  readonly read = (): Drawn | undefined => this.drawn;

  /** Returns the rows of the last rest, when nothing else was drawn for a moment. */
  readonly readRested = (): Drawn | undefined => this.rested;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  write(next: Drawn | undefined): void {
    window.clearTimeout(this.timer);
    if (next === undefined) this.rested = undefined;
    else this.timer = window.setTimeout(() => this.rest(next), REST_MS);
    if (next === this.drawn) return;
    this.drawn = next;
    this.tell();
  }

  private rest(drawn: Drawn): void {
    this.rested = drawn;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

interface Dragging {
  store: DrawnStore;
  /** Draws the rows within a dragged limit; false if only the service can tell them. */
  move: (field: LimitField, value: number | null) => boolean;
}

const Context = createContext<Dragging | null>(null);
const NOTHING = () => undefined;
const NEVER = () => NOTHING;

interface DraggingProviderProps {
  /** Rows under every limit of the question's workload; undefined until they are there, or if they cannot be known. */
  rows: RowsByLimit | undefined;
  /** Limits of the question; undefined if they cannot be read. */
  asked: AskedLimits | undefined;
  answer: PlanAnswer | undefined;
  /** True if the answer is that of the question. */
  current: boolean;
  children: ReactNode;
}

/** Let sliders and handles draw the ranking of a limit at once. */
export function DraggingProvider({ rows, asked, answer, current, children }: DraggingProviderProps) {
  const [store] = useState(() => new DrawnStore());
  const draw = useCallback(
    (limits: AskedLimits | undefined, field?: LimitField) => {
      const found = limits && rows?.rowsWithin(limits);
      store.write(found && limits && { limits, rows: found, ...(field && { field }) });
      return found !== undefined;
    },
    [store, rows],
  );
  // A question is drawn until it is answered, be it dragged, chosen or typed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer ends what was drawn ahead of it
  useLayoutEffect(() => {
    draw(current ? undefined : asked);
  }, [draw, asked, current, answer]);
  const dragging = useMemo(() => {
    const move: Dragging["move"] = (field, value) =>
      draw(asked && { ...asked, [field === "deadline" ? "deadline_s" : "budget_usd"]: value }, field);
    return { store, move };
  }, [store, draw, asked]);
  return <Context value={dragging}>{children}</Context>;
}

/** Return the function that draws the rows within a dragged limit; undefined where no limit can be dragged. */
export function useMoveLimit(): Dragging["move"] | undefined {
  return useContext(Context)?.move;
}

/** The same for one limit. */
export function useMove(field: LimitField): (value: number | null) => boolean {
  const move = useMoveLimit();
  return useCallback((value: number | null) => move?.(field, value) ?? false, [move, field]);
}

/**
 * Return what `of` selects of the rows drawn ahead; what shows it renders only if that changes.
 *
 * @param inSight true if it is seen now: else it follows when the limit rests, or when it comes into sight
 */
function useDrawn<Selected>(of: (drawn: Drawn | undefined) => Selected, inSight = true): Selected {
  const store = useContext(Context)?.store;
  return useSyncExternalStore(
    store?.subscribe ?? NEVER,
    () => of(inSight ? store?.read() : store?.readRested()),
    () => of(undefined),
  );
}

/** Return the rows drawn ahead of an answer, during a drag and until the answer to its limits is there, else its own. */
export function useDrawnRows(answer: PlanAnswer, inSight: boolean): RankedAnswer[] {
  return useDrawn((drawn) => (isAhead(answer, drawn) ? drawn.rows : answer.configurations), inSight);
}

/** Return true while rows are drawn ahead of an answer. */
export function useIsAhead(answer: PlanAnswer): boolean {
  return useDrawn((drawn) => isAhead(answer, drawn));
}

function isAhead(answer: PlanAnswer, drawn: Drawn | undefined): drawn is Drawn {
  return drawn !== undefined && !isOf(answer, drawn.limits);
}

function isOf({ limits }: PlanAnswer, { deadline_s, budget_usd, confidence }: AskedLimits): boolean {
  const own = limits.chance ?? 0.5;
  const sameLimits = limits.deadline_s === deadline_s && limits.budget_usd === budget_usd;
  return sameLimits && (deadline_s === null || own === confidence);
}

/**
 * Return a reference to a limit's text field that shows the limit while it is dragged. The text is written past React:
 * to render the field at each step takes as long as to render half of the ranking.
 *
 * @param text text of the question
 */
export function useDraggedText(field: LimitField, text: string): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null);
  const store = useContext(Context)?.store;
  // A layout effect, as that of the provider: the text of a new question comes before its rows.
  useLayoutEffect(
    () =>
      store?.subscribe(() => {
        const drawn = store.read();
        const next = drawn?.field === field ? textOf(drawn.limits, field) : text;
        if (input.current !== null && input.current.value !== next) input.current.value = next;
      }),
    [store, field, text],
  );
  return input;
}

function textOf({ deadline_s, budget_usd }: AskedLimits, field: LimitField): string {
  const [value, scale] = field === "deadline" ? [deadline_s, TIMES] : [budget_usd, COSTS];
  return value === null ? "" : scale.written(value);
}
