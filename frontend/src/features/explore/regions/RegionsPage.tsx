import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { catalogRegions, PURCHASES, type RegionOffer } from "@/api/catalog/catalogs";
import type { CatalogRegionsAnswer } from "@/api/generated";
import { PURCHASE_WORDS } from "@/lib/purchases";
import { BELOW, useMedia } from "@/lib/useMedia";
import { count, counted, day, listed } from "@/lib/wording";
import { QueryState } from "@/ui/feedback/QueryState";
import { type Column, Table } from "@/ui/table/Table";
import classes from "./RegionsPage.module.css";
import type { RegionsSearch } from "./search";
import { levelWords, sentenceOf } from "./words";

interface RegionsPageProps {
  search: RegionsSearch;
  /** Link to the instance types of a region. */
  linkTo: (version: string, region: string) => ReactNode;
}

/** Render the regions of a catalog: price level, number of instance types by purchase option, EBS volume types. */
export function RegionsPage({ search, linkTo }: RegionsPageProps) {
  useDocumentTitle("Regions · Stowage");
  const query = useQuery(catalogRegions(search.version ?? "latest"));
  const { data } = query;
  return (
    <div className="page" style={{ maxWidth: 1240 }}>
      <h1 className={data === undefined ? undefined : "spoken"}>Regions</h1>
      <QueryState query={query} kept="" loading="Reading the regions" heights={[96, 720]} />
      {data !== undefined && (
        <>
          <section className="card" aria-label="In a sentence">
            <p className="headline" data-testid="sentence">
              {sentenceOf(data)}
            </p>
            <p className="dim" style={{ margin: "8px 0 0" }}>
              Catalog {data.version} of {day(data.as_of)}. Price level: on-demand price of {listed(data.basket)}, an
              hour of each, against {data.reference}.
            </p>
          </section>
          <section className="card" aria-label="All regions">
            <Regions answer={data} linkTo={linkTo} />
          </section>
        </>
      )}
    </div>
  );
}

function Regions({ answer, linkTo }: { answer: CatalogRegionsAnswer } & Pick<RegionsPageProps, "linkTo">) {
  const narrow = useMedia(BELOW.desktop);
  const { regions, version, basket } = answer;
  const most = Math.max(1, ...regions.map(({ price_level }) => price_level ?? 0));
  const level: Column<RegionOffer> = {
    head: "Price level",
    className: classes.level,
    cell: (row) => <Level row={row} most={most} basket={basket.length} />,
  };
  if (narrow) {
    const region: Column<RegionOffer> = {
      head: "Region",
      rowHead: true,
      cell: ({ name }) => linkTo(version, name),
      note: ({ instance_types, volume_types }) => (
        <span className={classes.note}>{[counted(instance_types, "type"), ...volume_types].join(", ")}</span>
      ),
    };
    return <Table caption="Regions" columns={[region, level]} rows={regions} keyOf={({ name }) => name} />;
  }
  const columns: Column<RegionOffer>[] = [
    { head: "Region", rowHead: true, cell: ({ name }) => linkTo(version, name) },
    level,
    { head: "Instance types", value: ({ instance_types }) => [instance_types, count, "types"] },
    ...PURCHASES.map(
      (purchase): Column<RegionOffer> => ({
        name: purchase,
        head: PURCHASE_WORDS[purchase].replace(/ \(.*/, ""),
        headProps: { title: `Types with a price: ${PURCHASE_WORDS[purchase]}` },
        number: true,
        cell: ({ priced }) => (priced[purchase] ? count(priced[purchase]) : "—"),
      }),
    ),
    {
      head: "EBS volume types",
      cell: ({ volume_types }) =>
        volume_types.length === 0 ? <span className="dim">no prices in this catalog</span> : volume_types.join(", "),
    },
  ];
  return (
    <Table
      caption="Regions with their price level, priced instance types by purchase option, and EBS volume types"
      columns={columns}
      rows={regions}
      keyOf={({ name }) => name}
    />
  );
}

/** Render a price level as a number and as a bar from zero. */
function Level({
  row: { price_level, basket_types },
  most,
  basket,
}: {
  row: RegionOffer;
  most: number;
  basket: number;
}) {
  if (price_level === null) return <span className="dim">not comparable</span>;
  return (
    <>
      <span className={classes.words}>
        {levelWords(price_level)}
        {basket_types < basket && <span className="dim small"> ({counted(basket_types, "type")})</span>}
      </span>
      <span className={classes.bar} style={{ width: `${(60 * price_level) / most}%` }} aria-hidden="true" />
    </>
  );
}
