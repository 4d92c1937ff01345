import { useCallback } from "react";
import type { VolumeDesignAnswer, VolumeDesignRow } from "@/api/generated";
import { Chart, type ChartData } from "@/charts/Chart";
import { dayFigure } from "@/charts/figures/credit";
import { amountWords } from "@/lib/units";
import { duration, percent } from "@/lib/wording";
import { dayWords, layoutName } from "./words";

interface DaySectionProps {
  row: VolumeDesignRow;
  answer: VolumeDesignAnswer;
}

/** First day of the load on the selected volume type: delivered rate and burst credit. */
export function DaySection({ row, answer }: DaySectionProps) {
  const data = useCallback(() => dayTable(row), [row]);
  if (row.day === null) return null;
  const type = row.layout.volume_type;
  const words = dayWords(row, answer);
  const credits = [
    { key: "volumes", label: type, kind: "EBS volumes" as const, of: "volume_credit" as const },
    { key: "link", label: "link", kind: "EBS link" as const, of: "link_credit" as const },
  ].filter(({ of }) => row.day?.course.some((moment) => moment[of] !== null));
  return (
    <Chart
      title={`The burst over the day: ${layoutName(row.layout)}`}
      caption={words}
      data={data}
      filename={`stowage-day-${type}`}
      label={words}
      figure={dayFigure({
        moments: row.day.course.map(({ hour, mb_per_s, volume_credit, link_credit }) => ({
          hour,
          mb_per_s,
          credits: { volumes: volume_credit, link: link_credit },
        })),
        credits,
        asked_mb_per_s: answer.asked.mb_per_s,
      })}
    />
  );
}

function dayTable({ day }: VolumeDesignRow): ChartData {
  return {
    columns: [
      { head: "Time", copied: "hour", number: true },
      { head: "Delivered from then on", copied: "mb_per_s", number: true },
      { head: "Credit of the volumes", copied: "volume_credit_percent", number: true },
      { head: "Credit of the link", copied: "link_credit_percent", number: true },
    ],
    rows: (day?.course ?? []).map(({ hour, mb_per_s, volume_credit, link_credit }, index) => ({
      key: `${index} ${hour}`,
      cells: [
        { copied: hour, shown: hour === 0 ? "0" : duration(3_600 * hour) },
        { copied: mb_per_s, shown: amountWords(mb_per_s, "MB/s") },
        credit(volume_credit),
        credit(link_credit),
      ],
    })),
  };
}

function credit(share: number | null): ChartData["rows"][number]["cells"][number] {
  return share === null ? "—" : { copied: 100 * share, shown: percent(share) };
}
