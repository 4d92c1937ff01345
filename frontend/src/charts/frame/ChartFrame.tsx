import { Button, Group } from "@mantine/core";
import { type ReactNode, useId, useMemo, useRef, useState } from "react";
import { CopyText } from "@/ui/CopyText";
import { Table } from "@/ui/table/Table";
import { drawingOf, headed, headingOf, type PictureFormat, saveDrawing } from "./picture";

/** Column of a chart's data. */
export interface ChartColumn {
  /** Displayed head: `Time`. */
  head: string;
  /** Head in spreadsheets, with the unit: `time_s` (default: `head`). */
  copied?: string;
  /** True for right-aligned numbers. */
  number?: boolean;
}

/** Cell: a text, or displayed content with a separate copied value (full precision of a number). */
export type ChartCell = string | { shown: ReactNode; copied: string | number };

export interface ChartData {
  columns: ChartColumn[];
  rows: { key: string; cells: ChartCell[] }[];
}

/** Icons of controls, and drawings that are read elsewhere, are not the chart. */
const DRAWING = "svg[aria-label]:not([aria-hidden])";

export interface ChartFrameProps {
  title: string;
  /** Explanation of the chart in a sentence. */
  caption?: ReactNode;
  /** Chart data as a table. Called on first display or copy. */
  data: () => ChartData;
  /** Base name of saved files, without extension. */
  filename: string;
  /** Controls of the view (scale, measure), next to the title. */
  controls?: ReactNode;
  /** Heading level: 2 on a page (rendered as a card), 3 inside another element (no card). */
  level?: 2 | 3;
  /** Contains one drawing: an `<svg>` with its own label. */
  children: ReactNode;
}

/**
 * Render the frame of a chart: title, caption, data table (copyable and accessible), and export as SVG or PNG with the
 * same title and caption.
 *
 * The export is the first drawing of the chart with its styles inlined. Charts inherit the page's colors through CSS
 * variables; both color schemes are saved as displayed.
 */
export function ChartFrame({ title, caption, data, filename, controls, level = 2, children }: ChartFrameProps) {
  const id = useId();
  const body = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const words = useRef<HTMLParagraphElement>(null);
  const [open, setOpen] = useState(false);
  const [failed, setFailed] = useState(false);
  const Heading = `h${level}` as const;
  const save = async (format: PictureFormat) => {
    const svg = body.current?.querySelector<SVGSVGElement>(DRAWING);
    try {
      if (svg && heading.current !== null) {
        await saveDrawing(headed(drawingOf(svg), headingOf(heading.current, words.current)), format, filename);
      }
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  return (
    <section className={level === 2 ? "card" : undefined} style={{ minWidth: 0 }} aria-labelledby={`${id}-title`}>
      <div className="spread">
        <Heading ref={heading} id={`${id}-title`}>
          {title}
        </Heading>
        {controls}
      </div>
      {caption !== undefined && (
        <p ref={words} className="dim line">
          {caption}
        </p>
      )}
      <div ref={body}>{children}</div>
      <Group gap={4} justify="flex-end" className="no-print">
        <Button
          variant="subtle"
          size="compact-xs"
          aria-expanded={open}
          aria-controls={`${id}-data`}
          aria-label={`${open ? "Hide data" : "Data"} of “${title}”`}
          onClick={() => setOpen(!open)}
        >
          {open ? "Hide data" : "Data"}
        </Button>
        {(["svg", "png"] as const).map((format) => (
          <Button
            key={format}
            variant="subtle"
            size="compact-xs"
            aria-label={`Save as ${format.toUpperCase()}: ${title}`}
            onClick={() => void save(format)}
          >
            Save as {format.toUpperCase()}
          </Button>
        ))}
      </Group>
      {failed && (
        <p className="dim line" role="alert">
          The browser did not let the picture be saved. The data can still be copied.
        </p>
      )}
      <div id={`${id}-data`} hidden={!open}>
        {open && <DataTable title={title} data={data} />}
      </div>
    </section>
  );
}

function DataTable({ title, data }: { title: string; data: () => ChartData }) {
  const table = useMemo(data, [data]);
  return (
    <>
      <CopyText text={() => asText(table)} label="Copy table" done="The table is copied." />
      <Table
        scrolls={`Table of “${title}”`}
        rows={table.rows}
        keyOf={({ key }) => key}
        columns={table.columns.map(({ head, number = false }, index) => ({
          head,
          number,
          cell: ({ cells }: ChartData["rows"][number]) => {
            const cell = cells[index];
            return typeof cell === "object" ? cell.shown : cell;
          },
        }))}
      />
    </>
  );
}

/** Format a table for spreadsheets: tab-separated, full precision, units in the heads. */
export function asText({ columns, rows }: ChartData): string {
  const heads = columns.map(({ head, copied }) => copied ?? head);
  const lines = rows.map(({ cells }) => cells.map((cell) => (typeof cell === "string" ? cell : String(cell.copied))));
  return [heads, ...lines].map((line) => line.map(withoutTabs).join("\t")).join("\n");
}

function withoutTabs(text: string): string {
  return text.replace(/[\t\r\n]+/g, " ");
}
