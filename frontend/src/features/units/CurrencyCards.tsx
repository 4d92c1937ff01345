import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Currency, setCurrency, type TeamCurrencyAnswer } from "@/api/generated";
import { CURRENCY_SIGNS } from "@/api/generated/registry.gen";
import { teamCurrency } from "@/api/teams/currency";
import { useMay } from "@/api/teams/session";
import { about, moment, usd } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { QueryState } from "@/ui/feedback/QueryState";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { DESCRIPTION_FIRST, fieldsOf, type Options } from "@/ui/forms/fields";
import { SaveSetting } from "@/ui/forms/SaveSetting";
import { submits } from "@/ui/forms/submits";
import { Table } from "@/ui/table/Table";

const FIELDS = ["code", "usd_rate", "since"] as const;
type Written = Record<(typeof FIELDS)[number], string>;

const NAMES = new Intl.DisplayNames("en", { type: "currency" });
const OPTIONS: Options = Object.entries(CURRENCY_SIGNS).map(([code, sign]) => [
  code,
  code === "USD" ? "US dollars only" : `${NAMES.of(code)}: ${code}${sign === null ? "" : `, ${sign}`}`,
]);
const ACCEPTED = "A number from 0.0001 to 1,000,000, as in 0.86.";
const EXAMPLE_USD = 1_120;

function isCode(text: string): text is Currency["code"] {
  return text in CURRENCY_SIGNS;
}

function writtenFrom(current: Currency | null): Written {
  if (current === null) return { code: "USD", usd_rate: "", since: "" };
  return { code: current.code, usd_rate: `${current.usd_rate}`, since: current.since };
}

/** Parse a rate; undefined if it is invalid or out of range. */
function rateIn(text: string): number | undefined {
  const rate = Number(text.trim().replaceAll(",", ""));
  return /^[\d,]{1,9}(\.\d{1,12})?$/.test(text.trim()) && rate >= 1e-4 && rate <= 1e6 ? rate : undefined;
}

/** Return the currency in the form; undefined while it is US dollars or the rate is invalid. */
function currencyIn({ code, usd_rate, since }: Written): Currency | undefined {
  const rate = rateIn(usd_rate);
  return isCode(code) && code !== "USD" && rate !== undefined ? { code, usd_rate: rate, since } : undefined;
}

/** The team's currency: the form, its effect, and earlier ones. */
export function CurrencyCards() {
  const query = useQuery(teamCurrency);
  return (
    <>
      <QueryState query={query} kept="Nothing was changed." loading="Reading the currency" heights={[240]} />
      {query.data !== undefined && <Loaded answer={query.data} />}
    </>
  );
}

function Loaded({ answer }: { answer: TeamCurrencyAnswer }) {
  const client = useQueryClient();
  const mayChange = useMay("team.write");
  const now = answer.history[0];
  const [written, setWritten] = useState<Written>(() => writtenFrom(answer.current));
  const [seen, setSeen] = useState(now?.created_at);
  if (now?.created_at !== seen) {
    // A newer currency replaces what is written; the form stays, with its notice.
    setSeen(now?.created_at);
    setWritten(writtenFrom(answer.current));
  }
  const currency = currencyIn(written);
  const inDollars = written.code === "USD";
  const saving = useMutation({
    mutationFn: () => setCurrency({ body: bodyFrom(written) }),
    onSuccess: (next) => {
      client.setQueryData(teamCurrency.queryKey, next);
      // Savings of plans are stated in the currency too.
      void client.invalidateQueries();
    },
  });
  const unreadable = !inDollars && written.usd_rate.trim() !== "" && currency === undefined;
  const { text, select } = fieldsOf<keyof Written>({
    values: written,
    errors: {
      ...Object.fromEntries(FIELDS.map((field) => [field, remarkOn(saving.error, field)])),
      ...(unreadable ? { usd_rate: ACCEPTED } : {}),
    },
    onChange: (field, value) => {
      saving.reset();
      // The rate of one currency is not that of another.
      setWritten((before) => ({ ...before, ...(field === "code" ? { usd_rate: "" } : {}), [field]: value }));
    },
    inputWrapperOrder: DESCRIPTION_FIRST,
  });
  return (
    <>
      <Card id="currency" title="Currency of the team">
        <p className="dim">
          AWS bills in US dollars, and every cost is computed in US dollars. Savings, the answer of a plan and the
          decision of a report also state the sum in this currency, at the rate that you give. Published reports keep
          the rate of their day.
        </p>
        <form onSubmit={submits(() => saving.mutate(), inDollars || currency !== undefined)}>
          <div className="across small-labels" style={{ margin: "12px 0" }}>
            {select("code", "Currency", OPTIONS, { disabled: !mayChange })}
            {!inDollars && (
              <>
                {text("usd_rate", `${written.code} per US dollar`, "0.86", {
                  readOnly: !mayChange,
                  required: true,
                  inputMode: "decimal",
                })}
                {text("since", "As of", "", { readOnly: !mayChange, type: "date" })}
              </>
            )}
          </div>
          {currency !== undefined && (
            <p data-testid="example">
              Saves {usd(EXAMPLE_USD)} a month ({about(EXAMPLE_USD, currency)}).
            </p>
          )}
          <Refusal error={saving.error} fields={FIELDS} kept="The currency is unchanged." />
          <SaveSetting
            name="currency"
            saved="The currency applies from now on."
            mayChange={mayChange}
            saving={saving}
            last={now}
          />
        </form>
      </Card>
      {answer.history.length > 0 && (
        <Card id="currency-history" title="History of the currency">
          <div className="sideways">
            <Table
              aria-labelledby="currency-history"
              rows={answer.history}
              keyOf={({ created_at }) => created_at}
              columns={[
                { head: "Set on", rowHead: true, cell: ({ created_at }) => moment(created_at) },
                { head: "Rate", cell: ({ words }) => words },
                { head: "Set by", cell: ({ person }) => person },
              ]}
            />
          </div>
        </Card>
      )}
    </>
  );
}

function bodyFrom(written: Written): Parameters<typeof setCurrency>[0]["body"] {
  const found = currencyIn(written);
  if (found === undefined) return { code: "USD" };
  return { code: found.code, usd_rate: found.usd_rate, ...(found.since === "" ? {} : { since: found.since }) };
}
