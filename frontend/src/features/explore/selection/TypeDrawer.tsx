import { Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback } from "react";
import {
  type CatalogFigure,
  oneType,
  type PricePoint,
  PURCHASES,
  priceHistory,
  type TypeAnswer,
} from "@/api/catalog/catalogs";
import { ApiProblem } from "@/api/problem";
import { Chart, type ChartData } from "@/charts/Chart";
import { chartTable } from "@/charts/chartTable";
import { stepsFigure } from "@/charts/figures/stepHistory";
import { PRICE_OF, PURCHASE_WORDS } from "@/lib/purchases";
import { asShown, figureWords, quantityTitle, unitText, withUnit } from "@/lib/quantities";
import { inChosenUnit } from "@/lib/units";
import { counted, day, threeDigits, usd } from "@/lib/wording";
import { CopyText } from "@/ui/CopyText";
import { QueryState } from "@/ui/feedback/QueryState";
import { SideDrawer } from "@/ui/SideDrawer";
import { Table } from "@/ui/table/Table";
import { useFocusBack } from "@/ui/useFocusBack";
import classes from "./TypeDrawer.module.css";

interface TypeDrawerProps {
  version: string;
  region: string;
  name: string;
  onClose: () => void;
  /** Actions for the type: compare, plan. */
  actions: ReactNode;
}

/** Drawer with all figures of a type and their sources; Escape closes it. */
export function TypeDrawer({ version, region, name, onClose, actions }: TypeDrawerProps) {
  const query = useQuery(oneType(version, region, name));
  useFocusBack();
  return (
    <SideDrawer title={name} width={560} onClose={onClose}>
      {query.data !== undefined ? (
        <Known type={query.data} version={version} region={region} actions={actions} />
      ) : query.error instanceof ApiProblem && query.error.status === 404 ? (
        <p>
          {name} is not sold in {region}, as far as {version} knows.
        </p>
      ) : (
        <QueryState
          query={query}
          kept="The table is still there."
          loading={`Reading ${name}`}
          heights={[44, 420]}
          gap="sm"
        />
      )}
    </SideDrawer>
  );
}

function Known({
  type,
  version,
  region,
  actions,
}: { type: TypeAnswer } & Pick<TypeDrawerProps, "version" | "region" | "actions">) {
  const gaps = Object.entries(type.gaps);
  return (
    <Stack gap="lg">
      <div>
        <p className="bare">{sentenceOf(type)}</p>
        <Group gap="xs" className="no-print" mt="xs">
          {actions}
        </Group>
      </div>
      <Figures title="Figures" figures={type.figures} />
      {type.profiles.length > 0 ? (
        <Figures title="What it achieves" figures={type.profiles} />
      ) : (
        <p className="dim">No measurement of this type is known here.</p>
      )}
      {gaps.length > 0 && (
        <section aria-labelledby="gaps">
          <h3 id="gaps">What is not known</h3>
          <ul className={`bullets wraps ${classes.gaps}`}>
            {gaps.map(([quantity, why]) => (
              <li key={quantity}>
                {quantityTitle(quantity)}: {why}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Prices version={version} region={region} name={type.name} />
    </Stack>
  );
}

function sentenceOf({ figures, disk_media, traits, placement_group, price_terms: terms }: TypeAnswer): string {
  const value = (quantity: string) => figures.find((figure) => figure.quantity === quantity)?.value;
  const [vcpus, memory, disks, size, price] = [
    ...["vcpus", "memory_gib", "disk_count", "disk_size_gb", "usd_per_hour"],
  ].map(value);
  const parts = [
    ...(vcpus === undefined ? [] : [counted(vcpus, "vCPU")]),
    ...(memory === undefined ? [] : [sizeWords(memory, "GiB")]),
    disks === undefined || disks === 0
      ? "no disks of its own"
      : `${figureWords(disks)} ${disk_media?.toUpperCase() ?? "disk"}${disks === 1 ? "" : "s"}${
          size === undefined ? "" : ` of ${sizeWords(size, "GB")}`
        }`,
    ...(price === undefined
      ? []
      : [`${usd(price)} an hour on demand${terms == null ? "" : ` (incl. ${terms.words})`}`]),
  ];
  const besides = placement_group ? " It can be in a placement group." : "";
  return `${parts.join(", ")}.${traits.length === 0 ? "" : ` Traits: ${traits.join(", ")}.`}${besides}`;
}

function sizeWords(size: number, unit: string): string {
  const shown = inChosenUnit(size, unit);
  return withUnit(shown.value, shown.unit);
}

/** List of figures with their sources. */
function Figures({ title, figures }: { title: string; figures: readonly CatalogFigure[] }) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" align="baseline" wrap="nowrap" gap={12}>
        <h3>{title}</h3>
        <CopyText label="Copy table" done="The table is copied." text={() => figuresText(figures)} />
      </Group>
      <Table
        className={`plain ${classes.figures}`}
        rows={figures}
        keyOf={({ quantity, source }) => `${quantity} ${source}`}
        columns={[
          {
            head: "Figure and where it is from",
            cell: ({ quantity, kind, as_of, source }) => (
              <>
                {quantityTitle(quantity)}
                <div className="dim small">
                  <strong>{kind}</strong>
                  {as_of !== null && <>, {day(as_of)}</>}. {source}
                </div>
              </>
            ),
          },
          {
            head: "Value",
            number: true,
            cell: ({ quantity, value, unit, kind }) => {
              const stated = asShown(quantity, value, unit);
              return (
                <span className="sourced" data-kind={kind} title={`${stated.value} ${unitText(stated.unit)}`.trimEnd()}>
                  {withUnit(stated.value, stated.unit)}
                </span>
              );
            },
          },
        ]}
      />
    </section>
  );
}

function figuresText(figures: readonly CatalogFigure[]): string {
  const lines = figures.map(({ quantity, value, unit, kind, as_of, source }) =>
    [quantity, value, unit, kind, as_of ?? "", source].join("\t"),
  );
  return ["quantity\tvalue\tunit\tkind\tas_of\tsource", ...lines].join("\n");
}

const PRICES: Record<string, string> = Object.fromEntries(
  PURCHASES.map((purchase) => [PRICE_OF[purchase], PURCHASE_WORDS[purchase].toLowerCase()]),
);

const KEPT = "The price history is missing; what is above stands.";

/** Price history of a type over all catalog versions. */
function Prices({ version, region, name }: Pick<TypeDrawerProps, "version" | "region" | "name">) {
  const query = useQuery(priceHistory(version, region, name));
  const points = query.data?.points ?? [];
  const data = useCallback(() => pricesTable(points), [points]);
  if (query.data === undefined) {
    return <QueryState query={query} kept={KEPT} loading="Reading the price history" heights={[200]} />;
  }
  if (points.length === 0) return null;
  const dated = points.filter((point): point is PricePoint & { as_of: string } => point.as_of !== null);
  const series = Object.entries(PRICES).flatMap(([quantity, title]) => {
    const known = dated.filter((point) => point.quantity === quantity);
    return known.length === 0 ? [] : [{ name: title, steps: known.map(({ as_of, value }) => ({ day: as_of, value })) }];
  });
  if (series.every(({ steps }) => steps.length < 2)) {
    return (
      <section aria-labelledby="prices">
        <h3 id="prices">Price history</h3>
        <p className="dim">One price of each kind is known so far. A refresh of the catalog adds the next.</p>
      </section>
    );
  }
  const until =
    dated
      .map(({ as_of }) => as_of)
      .toSorted()
      .at(-1) ?? "";
  return (
    <Chart
      level={3}
      title={`Price history in ${region}`}
      filename={`stowage-prices-${name}`.replaceAll(".", "-")}
      caption="Published USD per hour as each version of the catalog knew it; a price holds until the next one."
      data={data}
      label={series.map((one) => `${one.name}: ${usd(one.steps.at(-1)?.value ?? 0)} an hour`).join(", ")}
      figure={stepsFigure(series, until)}
    />
  );
}

function pricesTable(points: readonly PricePoint[]): ChartData {
  return chartTable(points, ({ quantity, as_of, value }) => `${quantity} ${as_of} ${value}`, [
    { head: "Price", copied: "price", cell: ({ quantity }) => PRICES[quantity] ?? quantity },
    {
      head: "From",
      copied: "as_of",
      cell: ({ as_of }) => (as_of === null ? "" : { copied: as_of, shown: day(as_of) }),
    },
    {
      head: "USD/h",
      copied: "usd_per_hour",
      number: true,
      cell: ({ value }) => ({ copied: value, shown: threeDigits(value) }),
    },
    { head: "Kind", copied: "kind", cell: ({ kind }) => kind },
    { head: "Version", copied: "catalog_version", cell: ({ catalog_version }) => catalog_version },
  ]);
}
