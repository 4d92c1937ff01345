import { useDebouncedValue } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { PURCHASES, type Purchase } from "@/api/catalog/catalogs";
import type { PlanAnswer } from "@/api/generated";
import { prediction, preview, type WorkloadDocument } from "@/api/queries";
import { clusterName, documentWithCluster } from "@/features/plan/address/cluster";
import type { View, ViewChange } from "@/features/plan/address/view";
import { percentWords } from "@/features/plan/configurations/difference";
import { type Money, moneyOf } from "@/features/plan/configurations/money";
import type { Configuration, Named } from "@/features/plan/configurations/useConfigurations";
import { choiceFromDocument, documentChanged } from "@/features/plan/workload/choice";
import { PURCHASE_WORDS } from "@/lib/purchases";
import { usd } from "@/lib/wording";
import { Disclosure } from "@/ui/Disclosure";
import { Table } from "@/ui/table/Table";
import { PriceNote } from "@/ui/values/PriceTerms";
import { Value } from "@/ui/values/Value";

/** Each option is a search: requested once the question settles [ms]. */
const REST_MS = 300;

const BINDS: Record<Purchase, string> = {
  "on-demand": "Nothing: billed by the second while nodes run",
  spot: "Nothing, but AWS may interrupt nodes with a notice of two minutes",
  "1-year": "A year of these instances, used or not; paid each month",
  "3-year": "Three years of these instances, used or not; paid in advance",
};

interface PurchasesProps {
  answer: PlanAnswer;
  /** The answered document, with its catalog. */
  document: WorkloadDocument;
  chosen: Named;
  view: View;
  onView: (change: ViewChange, replace: boolean) => void;
}

/** Cost of the chosen configuration, and the best one, by each purchase option, on demand. */
export function Purchases({ view, onView, ...compared }: PurchasesProps) {
  return (
    <section className="card" aria-label="Purchase options">
      <Disclosure
        summary="Purchase options"
        initiallyOpen={view.purchases === "open"}
        onToggle={(open) => onView({ purchases: open ? "open" : undefined }, true)}
      >
        {() => <Compared {...compared} />}
      </Disclosure>
    </section>
  );
}

type ComparedProps = Pick<PurchasesProps, "answer" | "document" | "chosen">;

function Compared({ answer, document, chosen }: ComparedProps) {
  const money = moneyOf(answer.objective);
  const options = usePurchases({ answer, document, chosen });
  const onDemand = options.find(({ purchase }) => purchase === "on-demand");
  return (
    <>
      <p className="dim" style={{ margin: "4px 0 8px" }}>
        {money.head} of {chosen.name} and of the best configuration by each option
        <PriceNote />. Percentages are of on demand.
      </p>
      <div className="sideways">
        <Table
          caption="Cost by purchase option"
          rows={options}
          keyOf={({ purchase }) => purchase}
          columns={[
            { head: "Purchase option", rowHead: true, cell: ({ purchase }) => PURCHASE_WORDS[purchase] },
            {
              head: chosen.name,
              number: true,
              cell: ({ own }) => <Cost found={own} money={money} />,
              note: ({ own }) => difference(own, onDemand?.own, money),
            },
            {
              head: "Best of the option",
              cell: ({ best }) => (best.configuration === undefined ? "" : clusterName(best.configuration)),
              note: ({ best }) => best.configuration?.storage_words ?? null,
            },
            {
              head: `${money.head} of the best`,
              number: true,
              cell: ({ best }) => <Cost found={best} money={money} />,
              note: ({ best }) => difference(best, onDemand?.best, money),
            },
            { head: "What it binds you to", cell: ({ purchase }) => BINDS[purchase] },
          ]}
        />
      </div>
    </>
  );
}

/** Configuration under a purchase option, or the reason why there is none. */
interface Found {
  configuration: Configuration | undefined;
  empty: string;
}

interface Option {
  purchase: Purchase;
  own: Found;
  best: Found;
}

/** Predict the chosen configuration and search for the best one, by each purchase option. */
function usePurchases({ answer, document, chosen }: ComparedProps): Option[] {
  const now = JSON.stringify([document, chosen.document, chosen.cluster]);
  const [rested] = useDebouncedValue(now, REST_MS);
  const [of, ofChosen, cluster] = JSON.parse(rested) as [WorkloadDocument, WorkloadDocument, Named["cluster"]];
  // Results of an earlier question, or of another configuration, do not stand beside those of the displayed one.
  const current = rested === now;
  const asked = choiceFromDocument(of).choice.purchase;
  const searches = useQueries({
    queries: PURCHASES.map((purchase) => ({ ...preview(paidBy(of, purchase)), enabled: purchase !== asked })),
  });
  const predictions = useQueries({
    queries: PURCHASES.map((purchase) => ({
      ...prediction(cluster === null ? of : documentWithCluster(paidBy(ofChosen, purchase), cluster)),
      enabled: cluster !== null && purchase !== chosen.configuration?.purchase,
    })),
  });
  return PURCHASES.map((purchase, index) => {
    const [search, predicted] = current ? [searches[index], predictions[index]] : [WAITING, WAITING];
    const plan = current && purchase === asked ? answer : search?.data;
    const said = predicted?.data;
    const refused = said?.feasible === false ? said.reason : undefined;
    const own = purchase === chosen.configuration?.purchase ? chosen.configuration : said;
    return {
      purchase,
      own: {
        configuration: own === undefined || refused !== undefined ? undefined : (own as Configuration),
        empty: emptyWords(predicted, refused),
      },
      best: {
        configuration: plan?.configurations[0],
        empty: emptyWords(search, plan === undefined ? undefined : "none within the limits"),
      },
    };
  });
}

const WAITING = { data: undefined, isFetching: true, error: null };

/** Return the question with another purchase option. */
function paidBy(document: WorkloadDocument, purchase: Purchase): WorkloadDocument {
  const base = choiceFromDocument(document).choice;
  return documentChanged(document, base, { ...base, purchase });
}

function emptyWords(result: { isFetching: boolean; error: unknown } | undefined, known: string | undefined): string {
  if (known !== undefined) return known;
  if (result?.isFetching) return "being computed";
  return result?.error == null ? "" : "no price";
}

function Cost({ found: { configuration, empty }, money }: { found: Found; money: Money }): ReactNode {
  if (configuration === undefined) return <span className="dim">{empty}</span>;
  const value = money.range(configuration).p50;
  return <Value text={usd(value)} exact={value} unit="USD" />;
}

/** Format the difference from paying on demand; none for that itself. */
function difference({ configuration: one }: Found, other: Found | undefined, { range }: Money): string | null {
  const reference = other?.configuration;
  if (one === undefined || reference === undefined || one === reference) return null;
  return percentWords(range(one).p50, range(reference).p50);
}
