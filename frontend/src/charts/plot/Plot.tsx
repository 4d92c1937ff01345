import { useElementSize } from "@mantine/hooks";
import { type CSSProperties, type ReactNode, useId, useMemo } from "react";
import type { Frame, PlaneFigure } from "@/charts/figure";
import { Tip, targetsOf, useCursor } from "./Cursor";
import { layoutOf } from "./layout";
import { PanelMarks } from "./Marks";
import classes from "./Plot.module.css";
import { Phases, Sides } from "./Sides";

export interface PlotProps {
  figure: PlaneFigure;
  /** Accessible description of the plot. */
  label: string;
  /** Key of the selected point. */
  selected?: string | undefined;
  /** Called with the key of a clicked point, or of the cursor's point at Enter and Space. */
  onPick?: ((key: string) => void) | undefined;
  /** Renders what lies over the first panel, such as handles. */
  over?: ((frame: Frame) => ReactNode) | undefined;
}

/**
 * Render axes and marks of a figure at the full available width, with one cursor: the point nearest to the pointer
 * shows its tooltip. Points of a list can also be reached by the keyboard: arrow keys, Home and End move from left to
 * right, Enter and Space select, Escape hides the tooltip.
 */
export function Plot({ figure, label, selected, onPick, over }: PlotProps) {
  const id = useId();
  const { ref, width } = useElementSize<HTMLDivElement>();
  const layout = useMemo(() => layoutOf(figure, width), [figure, width]);
  const targets = useMemo(() => targetsOf(layout), [layout]);
  const { current, inOrder, order, handlers, pointed, tip } = useCursor({ targets, figure, selected, onPick });
  const [first] = layout.panels;
  const hidden = figure.list === true && current?.hidden === true;
  return (
    <div ref={ref} className={classes.chart} style={{ "--height": `${layout.height}px` } as CSSProperties}>
      {width > 0 && (
        <div className={classes.drawing} style={{ "--drawn": width } as CSSProperties}>
          {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: only a list has an active option */}
          <svg
            role={figure.list ? "listbox" : "img"}
            tabIndex={figure.list && targets.some((target) => target.hidden) ? 0 : undefined}
            aria-label={label}
            aria-activedescendant={hidden ? `${id}-current` : undefined}
            className={classes.plot}
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
            {current?.hidden && (
              <g
                {...(hidden && {
                  id: `${id}-current`,
                  role: "option",
                  "aria-selected": true,
                  "aria-posinset": order.indexOf(current) + 1,
                  "aria-setsize": order.length,
                  "aria-label": (current.point.words ?? []).join(". "),
                })}
              >
                <circle className={classes.current} cx={current.spot.x} cy={current.spot.y} r="7" />
              </g>
            )}
          </svg>
          {over !== undefined && first !== undefined && <div className={classes.over}>{over(first.plane.frame)}</div>}
          {tip !== null && <Tip {...tip} width={width} />}
        </div>
      )}
    </div>
  );
}
