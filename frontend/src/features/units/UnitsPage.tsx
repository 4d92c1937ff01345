import { Stack } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { CurrencyCards } from "./CurrencyCards";

/** Currency of the team. */
export function UnitsPage() {
  useDocumentTitle("Units and currency · Stowage");
  return (
    <Stack className="centered">
      <h1 className="heading">Units and currency</h1>
      <CurrencyCards />
    </Stack>
  );
}
