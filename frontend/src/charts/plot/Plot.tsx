import { useElementSize } from "@mantine/hooks";
import { type CSSProperties, type ReactNode, useEffect, useId, useMemo } from "react";
import { type ChartPoint, type Frame, INK, type Plane, type PlaneFigure } from "@/charts/figure";
import { Card, type Target, Tip, targetsOf, useCursor } from "./Cursor";
import { type Layout, layoutOf } from "./layout";
import { PanelMarks } from "./Marks";
import classes from "./Plot.module.css";
import { Whiskers } from "./Points";
import { Phases, Sides } from "./Sides";

export interface PlotProps {
  figure: PlaneFigure;
  /** Accessible description of the plot. */
  label: string;
  /** Key of the selected point. */
  selected?: string | undefined;
  /** Called with the key of a clicked point, or of the cursor's point at Enter and Space. */
  onPick?: ((key: string) => void) | undefined;
  /** Called with the key of the cursor's point; null without one. */
  onCursor?: ((key: string | null) => void) | undefined;
  /** Card of the cursor's point; the tooltip is shown for a point of another key. */
  card?: PointCard | undefined;
  /** Renders what lies over the first panel, such as handles. */
  over?: ((frame: Frame) => ReactNode) | undefined;
}

/** Card with controls for a point, reachable by pointer and keyboard, and the ranges to draw for the point. */
export interface PointCard extends Pick<ChartPoint, "across" | "up"> {
  key: string;
  content: ReactNode;
}

/**
 * Render axes and marks of a figure at the full available width, with one cursor: the point nearest to the pointer
 * shows its tooltip or its card. Points of a list can also be reached by the keyboard: arrow keys, Home and End move
 * from left to right, Enter and Space select, Escape hides the tooltip.
 */
export function Plot({ figure, label, selected, onPick, onCursor, card, over }: PlotProps) {
  const id = useId();
  const { ref, width } = useElementSize<HTMLDivElement>();
  const layout = useMemo(() => layoutOf(figure, width), [figure, width]);
  const targets = useMemo(() => targetsOf(layout), [layout]);
  const carded = onCursor !== undefined;
  const cursor = useCursor({ targets, figure, selected, onPick, carded });
  const { current, inOrder, order, handlers, pointed } = cursor;
  const [first] = layout.panels;
  const hidden = current?.hidden === true && order.includes(current);
  const key = current?.point.key ?? null;
  useEffect(() => onCursor?.(key), [onCursor, key]);
  const shown = current?.point.key === card?.key ? cardAt(current, card) : undefined;
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${layout.height}px` } as CSSProperties}>
      {width > 0 && (
        <div className={classes.drawing} style={{ "--drawn": width } as CSSProperties}>
          {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: only a list has an active option */}
          <svg
            role={figure.list ? "listbox" : "img"}
            tabIndex={order.some((target) => target.hidden) ? 0 : undefined}
            aria-label={label}
            aria-activedescendant={hidden ? `${id}-current` : undefined}
            className={classes.plot}
            data-carded={carded || undefined}
            data-pointed={(pointed && onPick !== undefined) || undefined}
            width={width}
            height={layout.height}
            {...handlers}
          >
            <g aria-hidden={figure.list || undefined}>
              <Sides x={figure.x} layout={layout} />
              <Phases phases={figure.phases ?? []} layout={layout} />
            </g>
            {layout.panels.map((panel) => (
              <PanelMarks
                key={panel.panel.key}
                placed={panel}
                list={figure.list === true}
                names={layout.names}
                inOrder={inOrder}
                selected={selected}
              />
            ))}
            <HiddenPoint id={`${id}-current`} target={current} order={order} />
            <g aria-hidden={figure.list || undefined}>
              <CursorRanges shown={shown} plane={first?.plane} />
            </g>
          </svg>
          <Overlay {...{ cursor, shown, over, layout, width }} />
        </div>
      )}
    </div>
  );
}

/** Render the point at the cursor if the marks do not show it; in a list, it is the active option. */
function HiddenPoint({ id, target, order }: { id: string; target: Target | undefined; order: readonly Target[] }) {
  if (!target?.hidden) return null;
  const option = order.includes(target) && {
    id,
    role: "option",
    "aria-selected": true,
    "aria-posinset": order.indexOf(target) + 1,
    "aria-setsize": order.length,
    "aria-label": (target.point.words ?? []).join(". "),
  };
  return (
    <g {...option}>
      <circle className={classes.current} cx={target.spot.x} cy={target.spot.y} r="7" />
    </g>
  );
}

type ShownCard = PointCard & { name: string; target: Target };

function cardAt(target: Target | undefined, card: PointCard | undefined): ShownCard | undefined {
  if (target === undefined || card === undefined) return undefined;
  return { ...card, target, name: target.point.words?.[0] ?? card.key };
}

/** Render the ranges of the point at the cursor. */
function CursorRanges({ shown, plane }: { shown: ShownCard | undefined; plane: Plane | undefined }) {
  if (shown === undefined || plane === undefined) return null;
  const { point, spot } = shown.target;
  return (
    <g
      data-testid="cursor-ranges"
      transform={`translate(${spot.x} ${spot.y})`}
      style={{ "--mark": INK } as CSSProperties}
    >
      <Whiskers point={{ ...point, across: shown.across, up: shown.up }} plane={plane} />
    </g>
  );
}

interface OverlayProps extends Pick<PlotProps, "over"> {
  cursor: ReturnType<typeof useCursor>;
  shown: ShownCard | undefined;
  layout: Layout;
  width: number;
}

/** Render what lies over the drawing: the card or the tooltip at the cursor, and handles. */
function Overlay({ cursor: { card, tip }, shown, over, layout, width }: OverlayProps) {
  const [first] = layout.panels;
  return (
    <>
      {/* Before the handles, so that the keyboard goes from a point to its card. */}
      {shown !== undefined && (
        <Card handlers={card} size={{ width, height: layout.height }} {...shown}>
          {shown.content}
        </Card>
      )}
      {over !== undefined && first !== undefined && <div className={classes.over}>{over(first.plane.frame)}</div>}
      {tip !== null && shown === undefined && <Tip {...tip} width={width} />}
    </>
  );
}
