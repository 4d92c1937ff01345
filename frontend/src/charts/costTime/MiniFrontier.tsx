import { useMemo } from "react";
import { axisOver, shareOf } from "@/charts/axes/axis";
import classes from "./MiniFrontier.module.css";

interface Spot {
  time_s: number;
  usd: number;
}

interface MiniFrontierProps {
  /** Pareto frontier, fastest first. */
  frontier: readonly Spot[];
  /** The recommended configuration, drawn as a ring; null if there is none. */
  chosen: Spot | null;
  /** Drawn as a dashed line, unless it is off the axes. */
  deadline_s: number | null;
  /** Accessible description of the picture. */
  label: string;
}

const [WIDTH, HEIGHT, EDGE] = [240, 96, 8];

/** Small picture of cost against time, both logarithmic: frontier, recommended configuration and deadline. */
export function MiniFrontier({ frontier, chosen, deadline_s, label }: MiniFrontierProps) {
  const place = useMemo(() => placing(chosen === null ? frontier : [...frontier, chosen]), [frontier, chosen]);
  const points = frontier.map((spot) => place(spot));
  const line = points.map(({ x, y }) => `${x},${y}`).join(" ");
  const ring = chosen === null ? null : place(chosen);
  const deadline_px = deadline_s === null ? null : place({ time_s: deadline_s, usd: 1 }).x;
  return (
    <svg className={classes.picture} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <polyline className={classes.axes} points={`1,0 1,${HEIGHT - 1} ${WIDTH},${HEIGHT - 1}`} />
      {deadline_px !== null && deadline_px < WIDTH && (
        <line className={classes.deadline} x1={deadline_px} x2={deadline_px} y1={0} y2={HEIGHT} />
      )}
      <polyline className={classes.frontier} points={line} />
      {ring !== null && <circle className={classes.ring} cx={ring.x} cy={ring.y} r="5" />}
    </svg>
  );
}

/** Return the function that converts a time and a cost to pixels of the picture. */
function placing(spots: readonly Spot[]): (spot: Spot) => { x: number; y: number } {
  const x = axisOver(
    spots.map(({ time_s }) => time_s),
    true,
  );
  const y = axisOver(
    spots.map(({ usd }) => usd),
    true,
  );
  const along = (share: number, length: number) => Math.round(10 * (EDGE + share * (length - 2 * EDGE))) / 10;
  return ({ time_s, usd }) => ({
    x: along(shareOf(time_s, x), WIDTH),
    y: along(1 - shareOf(usd, y), HEIGHT),
  });
}
