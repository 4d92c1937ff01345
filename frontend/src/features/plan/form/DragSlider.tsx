import { useElementSize } from "@mantine/hooks";
import { type Axis, placeOf } from "@/charts/axes/axis";
import type { Scale } from "@/charts/drag/steps";
import { type DragChange, type Ends, useDrag } from "@/charts/drag/useDrag";
import classes from "./DragSlider.module.css";

/** Half of the thumb [px]: the inset at both ends, and the distance within which a press grabs the thumb. */
const INSET_PX = 8;
const HEIGHT_PX = 24;

interface DragSliderProps {
  /** Name of the value: `Deadline`. */
  label: string;
  /** Value of the question; null if there is no limit or the text is invalid. */
  value: number | null;
  asked: string;
  axis: Axis;
  scale: Scale;
  /** An open slider has no limit at its far end. */
  ends: Ends;
  /** Text without a value: `no deadline`. */
  without: string;
  onChange: (change: DragChange) => void;
  /** Draws the effect of an amount at once, if it can. */
  onMove?: ((value: number | null) => boolean) | undefined;
}

/** Logarithmic slider, for pointer and keyboard; the answer updates while it moves. */
export function DragSlider({ label, value, asked, axis, scale, ends, without, onChange, onMove }: DragSliderProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const frame = { left: INSET_PX, top: 0, width: Math.max(1, width - 2 * INSET_PX), height: HEIGHT_PX };
  const dragged = { along: "x", value, asked, axis, scale, ends, frame, reach_px: INSET_PX, onChange, onMove } as const;
  const { shown, held, handlers } = useDrag(dragged);
  // Without a limit the thumb is at the far end; with an invalid text, at the near one.
  const place = shown ?? (ends === "closed" ? axis.low : axis.high);
  const left = `calc(${INSET_PX}px + (100% - ${2 * INSET_PX}px) * ${placeOf(place, axis)})`;
  return (
    <div ref={ref} className={classes.slider} data-held={held || undefined} data-set={shown !== null || undefined}>
      <div className={classes.track} />
      <div className={classes.filled} style={{ width: left }} />
      <div className={classes.thumb} style={{ left }} />
      {/* The whole track is draggable; the thumb only marks the value. */}
      <div
        className={classes.drag}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={axis.low}
        aria-valuemax={axis.high}
        aria-valuenow={Math.min(axis.high, Math.max(axis.low, place))}
        aria-valuetext={shown === null ? without : scale.written(shown)}
        {...handlers}
      />
    </div>
  );
}
