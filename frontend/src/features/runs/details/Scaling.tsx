import type { Run } from "@/api/runs/runs";
import { Chart } from "@/charts/Chart";
import { chartTable, valueCell } from "@/charts/chartTable";
import { clusterFigure } from "@/charts/figures/clusterCurve";
import { filenameFrom } from "@/lib/csv";
import { differenceWords, measuredWords } from "@/lib/measured";
import { count, counted } from "@/lib/wording";

const words = (value: number) => measuredWords("", value, "MB/s");
const rate = (value: number) => valueCell(value, words, "MB/s");

/** Bandwidth of a node by cluster size: measured, and as used by plans so far. */
export function Scaling({ run: { scaling, published_scaling: published, name, spec } }: { run: Run }) {
  // A single size is not a curve; the results show its figures.
  if (scaling.length < 2) return null;
  const largest = scaling.reduce((one, other) => (other.nodes > one.nodes ? other : one));
  const before = published?.points.find(({ nodes }) => nodes === largest.nodes);
  const taken = (size: number) => {
    const found = published?.points.find(({ nodes }) => nodes === size)?.mb_per_s;
    return found === undefined ? "—" : { copied: found, shown: words(found) };
  };
  const against =
    before === undefined || before.mb_per_s === 0
      ? ""
      : ` Among ${count(largest.nodes)} that is ${differenceWords(100 * (largest.mean_mb_per_s / before.mb_per_s - 1))} against what plans take.`;
  const caption = `Filled dots are what a node of this run received on average, down to the slowest one.${
    published === null ? "" : ` The broken line is what plans take until now (${published.kind}).`
  }${against}`;
  return (
    <Chart
      title="Over the size of the cluster"
      caption={caption}
      filename={filenameFrom(`${name} over nodes`)}
      data={() =>
        chartTable(scaling, ({ nodes }) => String(nodes), [
          {
            head: "Nodes",
            copied: "nodes",
            number: true,
            cell: ({ nodes }) => ({ copied: nodes, shown: count(nodes) }),
          },
          { head: "Mean", copied: "mean_mb_per_s", number: true, cell: (point) => rate(point.mean_mb_per_s) },
          { head: "Slowest", copied: "slowest_mb_per_s", number: true, cell: (point) => rate(point.slowest_mb_per_s) },
          { head: "Plans took", copied: "published_mb_per_s", number: true, cell: ({ nodes }) => taken(nodes) },
        ])
      }
      label={`Bandwidth of a ${spec.instance} over the size of the cluster. ${caption}`}
      figure={clusterFigure({
        rates: [
          ...scaling.map((point) => ({
            nodes: point.nodes,
            value: point.mean_mb_per_s,
            range: { low: point.slowest_mb_per_s, high: point.mean_mb_per_s },
            measured: true,
            words: `${counted(point.nodes, "node")}: ${words(point.mean_mb_per_s)}, the slowest ${words(point.slowest_mb_per_s)}`,
          })),
          ...(published?.points ?? []).map(({ nodes, mb_per_s }) => ({
            nodes,
            value: mb_per_s,
            range: null,
            measured: false,
            words: `${counted(nodes, "node")}: ${words(mb_per_s)}, ${published?.kind}: ${published?.source}`,
          })),
        ],
        words,
        title: "each node receives",
      })}
    />
  );
}
