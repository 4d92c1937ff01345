// Dragging a limit: the rows are looked up and drawn at once, and the question follows when the limit is released.

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
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
  field: LimitField;
}

/** Rows drawn during a drag, kept outside of React's state: only what shows them renders at each step. */
class DrawnStore {
  private drawn: Drawn | null = null;
  private readonly listeners = new Set<() => void>();

  readonly read = (): Drawn | null => this.drawn;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  write(next: Drawn | null): void {
    if (next === this.drawn) return;
    this.drawn = next;
    for (const listener of this.listeners) listener();
  }
}

interface Dragging {
  store: DrawnStore;
  /** Rows of a question that is not answered yet, if a look-up can tell them. */
  pending: { limits: AskedLimits; rows: RankedAnswer[] } | undefined;
  /** Draws the rows within a dragged limit; false if only the service can tell them. */
  move: (field: LimitField, value: number | null) => boolean;
}

const Context = createContext<Dragging | null>(null);
const NOTHING = () => null;
const NEVER = () => () => undefined;

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
  useEffect(() => {
    // Another question or its answer: what was drawn ahead has been caught up with.
    if (current ? answer !== undefined : rows === undefined) store.write(null);
  }, [store, rows, current, answer]);
  const move = useCallback(
    (field: LimitField, value: number | null) => {
      const limits = asked && { ...asked, [field === "deadline" ? "deadline_s" : "budget_usd"]: value };
      const found = limits && rows?.rowsWithin(limits);
      store.write(found === undefined || limits === undefined ? null : { limits, rows: found, field });
      return found !== undefined;
    },
    [store, rows, asked],
  );
  const pending = useMemo(() => {
    if (current || asked === undefined) return undefined;
    const found = rows?.rowsWithin(asked);
    return found && { limits: asked, rows: found };
  }, [current, rows, asked]);
  const dragging = useMemo(() => ({ store, pending, move }), [store, pending, move]);
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

function useDrawn(): Drawn | null {
  const store = useContext(Context)?.store;
  return useSyncExternalStore(store?.subscribe ?? NEVER, store?.read ?? NOTHING, NOTHING);
}

/** Return an answer with the rows drawn ahead of it, during a drag and until the answer to its limits is there. */
export function useDrawnAnswer(answer: PlanAnswer): PlanAnswer {
  const pending = useContext(Context)?.pending;
  const drawn = useDrawn() ?? pending;
  return useMemo(() => {
    if (drawn === undefined || isOf(answer, drawn.limits)) return answer;
    const { deadline_s, budget_usd, confidence } = drawn.limits;
    const chance = deadline_s === null || confidence === 0.5 ? null : confidence;
    return {
      ...answer,
      configurations: drawn.rows,
      limits: { ...answer.limits, deadline_s, budget_usd, chance },
    };
  }, [answer, drawn]);
}

function isOf({ limits }: PlanAnswer, { deadline_s, budget_usd, confidence }: AskedLimits): boolean {
  const own = limits.chance ?? 0.5;
  const sameLimits = limits.deadline_s === deadline_s && limits.budget_usd === budget_usd;
  return sameLimits && (deadline_s === null || own === confidence);
}

interface WhileDraggedProps {
  field: LimitField;
  /** Text of the question. */
  text: string;
  children: (text: string) => ReactNode;
}

/** Show a limit of the form as it is dragged. */
export function WhileDragged({ field, text, children }: WhileDraggedProps) {
  const drawn = useDrawn();
  if (drawn?.field !== field) return children(text);
  const [value, scale] = field === "deadline" ? [drawn.limits.deadline_s, TIMES] : [drawn.limits.budget_usd, COSTS];
  return children(value === null ? "" : scale.written(value));
}
