import { Chart } from "@/charts/Chart";
import { phasesFigure } from "@/charts/figures/phaseSeries";
import { filenameFrom } from "@/lib/csv";
import { measuredWords } from "@/lib/measured";
import type { ResourceKind } from "@/lib/resources";
import { duration } from "@/lib/wording";

/** Series of a monitoring tool. */
interface Series {
  name: string;
  /** Device that it is of; may be empty. */
  of: string;
  unit: string;
  times_s: number[];
  values: number[];
}

interface SeriesFrameProps<One extends Series> {
  title: string;
  /** Name of the saved file, without its ending. */
  file: string;
  caption: string;
  label: string;
  phases: Parameters<typeof phasesFigure>[1];
  series: readonly One[];
  nameOf: (one: One) => string;
  kindOf: (one: One) => ResourceKind;
}

/** Chart of series of a monitoring tool over time, with their values as a table. */
export function SeriesFrame<One extends Series>(props: SeriesFrameProps<One>) {
  const { title, file, caption, label, phases, series, nameOf, kindOf } = props;
  return (
    <Chart
      title={title}
      filename={filenameFrom(file)}
      caption={caption}
      data={() => ({
        columns: [
          { head: "What", copied: "what" },
          { head: "Of", copied: "of" },
          { head: "Since the start", copied: "time_s", number: true },
          { head: "Value", copied: "value", number: true },
        ],
        rows: series.flatMap((one) =>
          one.times_s.map((time_s, index) => ({
            key: `${one.name} ${one.of} ${time_s}`,
            cells: [
              one.name,
              one.of,
              { copied: time_s, shown: duration(time_s) },
              { copied: one.values[index] ?? "", shown: measuredWords(one.name, one.values[index] ?? 0, one.unit) },
            ],
          })),
        ),
      })}
      label={label}
      figure={phasesFigure(
        series.map((one) => {
          const most = Math.max(...one.values, 0);
          return {
            key: `${one.name} ${one.of}`,
            name: nameOf(one),
            kind: kindOf(one),
            times_s: one.times_s,
            values: one.values,
            most,
            mostWords: measuredWords(one.name, most, one.unit),
          };
        }),
        phases,
      )}
    />
  );
}
