import { Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { CurrencyCards } from "./CurrencyCards";
import { UnitsCard } from "./UnitsCard";

/** Currency of the team, and units of this browser. */
export function UnitsPage() {
  useDocumentTitle("Units and currency · Stowage");
  return (
    <Stack className="centered">
      <h1 className="heading">Units and currency</h1>
      <CurrencyCards />
      <UnitsCard />
    </Stack>
  );
}
