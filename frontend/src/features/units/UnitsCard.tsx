import { chooseUnits, inChosenUnit, RATE_UNITS, SIZE_UNITS, type Units, useUnits } from "@/lib/units";
import { threeDigits } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { fieldsOf, type Options } from "@/ui/forms/fields";
import { Table } from "@/ui/table/Table";

const SIZE_WORDS = { stated: "As AWS states them", decimal: "Decimal: GB, TB", binary: "Binary: GiB, TiB" } as const;
const SIZES: Options = SIZE_UNITS.map((unit) => [unit, SIZE_WORDS[unit]]);
const RATES: Options = RATE_UNITS.map((unit) => [unit, unit === "stated" ? "As AWS states them" : unit]);

const EXAMPLES: readonly { name: string; value: number; unit: string }[] = [
  { name: "Memory", value: 256, unit: "GiB" },
  { name: "Instance store", value: 7_500, unit: "GB" },
  { name: "EBS volume throughput", value: 250, unit: "MiB/s" },
  { name: "EBS bandwidth of an instance", value: 1_250, unit: "MB/s" },
  { name: "Network bandwidth", value: 25, unit: "Gbit/s" },
];

/** Units of sizes and rates in this browser. */
export function UnitsCard() {
  const units = useUnits();
  const { select } = fieldsOf<keyof Units>({
    values: units,
    errors: {},
    onChange: (field, text) => {
      chooseUnits({
        sizes: SIZE_UNITS.find((unit) => field === "sizes" && unit === text) ?? units.sizes,
        rates: RATE_UNITS.find((unit) => field === "rates" && unit === text) ?? units.rates,
      });
    },
  });
  return (
    <Card id="units" title="Units in this browser">
      <p className="dim">
        For the figures of instances, volumes and benchmark results on the page. Fields take every unit. Sizes and
        throughput that you order from AWS, sentences of answers, reports and the API keep the units of AWS.
      </p>
      <div className="across small-labels" style={{ margin: "12px 0" }}>
        {select("sizes", "Sizes", SIZES)}
        {select("rates", "Rates", RATES)}
      </div>
      <div className="sideways">
        <Table
          aria-labelledby="units"
          rows={EXAMPLES}
          keyOf={({ name }) => name}
          columns={[
            { head: "Figure", rowHead: true, cell: ({ name }) => name },
            { head: "AWS states", number: true, cell: ({ value, unit }) => `${threeDigits(value)} ${unit}` },
            {
              head: "Shown",
              number: true,
              cell: ({ value, unit }) => {
                const shown = inChosenUnit(value, unit, units);
                return <strong>{`${threeDigits(shown.value)} ${shown.unit}`}</strong>;
              },
            },
          ]}
        />
      </div>
    </Card>
  );
}
