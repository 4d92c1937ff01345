import { type PlaneFigure, plane } from "@/charts/figure";
import { places, zoomed } from "./axes";

interface Cycle {
  /** Value for each hour or day; null if not measured. */
  values: readonly (number | null)[];
  names: readonly string[];
  words: (value: number) => string;
  title: string;
}

const HEIGHT_PX = 140;

/** Draw means by hour of the day or day of the week: as dots, because the axis need not start at 0. */
export function cycleFigure({ values, names, words, title }: Cycle): PlaneFigure | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  const points = values.flatMap((value, index) => {
    const name = names[index] ?? String(index);
    return value === null ? [] : [{ key: name, x: index + 0.5, y: value, words: [`${name}: ${words(value)}`] }];
  });
  return plane({
    height: HEIGHT_PX,
    x: { ...places(names), title },
    y: { ...zoomed(known), words, title: "mean" },
    marks: [{ kind: "points", key: "means", points }],
  });
}
