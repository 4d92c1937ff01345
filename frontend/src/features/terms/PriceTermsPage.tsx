import { Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ExamplePrice, type PriceTermsAnswer, setPriceTerms } from "@/api/generated";
import { useMay } from "@/api/teams/session";
import { priceTerms } from "@/api/teams/terms";
import { moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { DESCRIPTION_FIRST, fieldsOf } from "@/ui/forms/fields";
import { SaveSetting } from "@/ui/forms/SaveSetting";
import { submits } from "@/ui/forms/submits";
import { Table } from "@/ui/table/Table";
import { ACCEPTED, bodyFrom, percentIn, percentOf, SERVICES, type Written, writtenFrom } from "./discounts";

/** The team's discounts on published prices: the form, its effect, and earlier terms. */
export function PriceTermsPage() {
  useDocumentTitle("Price terms · Stowage");
  const query = useQuery(priceTerms);
  return (
    <Stack className="centered">
      <h1 className="heading">Price terms</h1>
      <p className="line dim" style={{ margin: 0 }}>
        Discounts that you have agreed with AWS. Every cost that the team computes from now on includes them and names
        them. Saved plans, sweeps and published reports keep the terms they were computed with; quotes of benchmark runs
        are at published prices.
      </p>
      <QueryState query={query} kept="Nothing was changed." loading="Reading the price terms" heights={[320]} />
      {query.data !== undefined && <Loaded answer={query.data} />}
    </Stack>
  );
}

const FIELDS = ["overall", ...SERVICES.map(([service]) => service)] as const;

function Loaded({ answer }: { answer: PriceTermsAnswer }) {
  const client = useQueryClient();
  const mayChange = useMay("team.write");
  const now = answer.history[0];
  const [written, setWritten] = useState<Written>(() => writtenFrom(now?.terms));
  const [seen, setSeen] = useState(now?.created_at);
  if (now?.created_at !== seen) {
    // Newer terms replace what is written; the form stays, with its notice.
    setSeen(now?.created_at);
    setWritten(writtenFrom(now?.terms));
  }
  const saving = useMutation({
    mutationFn: () => setPriceTerms({ body: bodyFrom(written) }),
    onSuccess: (next) => {
      client.setQueryData(priceTerms.queryKey, next);
      // Every answer with a cost depends on the terms.
      void client.invalidateQueries();
    },
  });
  const unreadable = Object.fromEntries(
    FIELDS.filter((field) => written[field].trim() !== "" && percentIn(written[field]) === undefined).map((field) => [
      field,
      ACCEPTED,
    ]),
  );
  const refused = Object.fromEntries(FIELDS.map((field) => [field, remarkOn(saving.error, field)]));
  const { text } = fieldsOf<(typeof FIELDS)[number]>({
    values: written,
    errors: { ...refused, ...unreadable },
    onChange: (field, value) => {
      saving.reset();
      setWritten((before) => ({ ...before, [field]: value }));
    },
    inputWrapperOrder: DESCRIPTION_FIRST,
  });
  const shown = { readOnly: !mayChange };
  return (
    <>
      <Card id="discounts" title="Discounts">
        <form onSubmit={submits(() => saving.mutate(), Object.keys(unreadable).length === 0)}>
          {text("overall", "Overall", "none", {
            ...shown,
            description: "On every service without a discount of its own, except Spot.",
          })}
          <div className="across small-labels" style={{ margin: "12px 0" }}>
            {SERVICES.map(([service, name]) => text(service, name, service === "spot" ? "none" : "as overall", shown))}
          </div>
          <Refusal error={saving.error} fields={FIELDS} kept="The terms are unchanged." />
          <SaveSetting
            name="price terms"
            saved="The price terms apply from now on."
            mayChange={mayChange}
            saving={saving}
            last={now}
          />
        </form>
      </Card>
      <Card id="effect" title="Effect">
        <Effect answer={answer} written={written} />
      </Card>
      {answer.history.length > 0 && <History answer={answer} />}
    </>
  );
}

/** Published prices, and what they are under the terms in the form. */
function Effect({ answer, written }: { answer: PriceTermsAnswer; written: Written }) {
  return (
    <div className="sideways">
      <Table
        caption={`Published prices in ${answer.region}, and the prices under these terms`}
        rows={answer.examples}
        keyOf={({ name }) => name}
        columns={[
          { head: `Price in ${answer.region}`, rowHead: true, cell: ({ name }) => name, note: ({ unit }) => unit },
          { head: "Published", value: ({ usd, unit }) => [usd, price, unit] },
          {
            head: "Your price",
            number: true,
            cell: (example) => <YourPrice example={example} written={written} />,
            note: ({ service }) => discountWords(percentOf(service, written)),
          },
        ]}
      />
    </div>
  );
}

function discountWords(percent: number | undefined): string | null {
  if (percent === undefined) return null;
  return percent === 0 ? "no discount" : `${percent}% less`;
}

function YourPrice({ example, written }: { example: ExamplePrice; written: Written }) {
  const percent = percentOf(example.service, written);
  return <strong>{percent === undefined ? "?" : price(example.usd * (1 - percent / 100))}</strong>;
}

/** Format a unit price, which may be a fraction of a cent: `$4.70`, `$0.0704`. */
function price(usd: number): string {
  return `$${usd >= 1 ? usd.toFixed(2) : Number(usd.toPrecision(3))}`;
}

function History({ answer }: { answer: PriceTermsAnswer }) {
  return (
    <Card id="history" title="History">
      <div className="sideways">
        <Table
          aria-labelledby="history"
          rows={answer.history}
          keyOf={({ created_at }) => created_at}
          columns={[
            { head: "From", rowHead: true, cell: ({ created_at }) => moment(created_at) },
            { head: "Terms", cell: ({ words }) => words, note: ({ details }) => details },
            { head: "Set by", cell: ({ person }) => person },
          ]}
        />
      </div>
    </Card>
  );
}
