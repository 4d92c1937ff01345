import { createContext, type ReactNode, useContext } from "react";
import type { Currency } from "@/api/generated";

const Rate = createContext<Currency | null>(null);

interface RatedProps {
  /** Currency in which sums are also shown; null for US dollars only. */
  currency: Currency | null | undefined;
  children: ReactNode;
}

/** Page of a team with a currency: `useCurrency` returns it everywhere below. */
export function Rated({ currency, children }: RatedProps) {
  return <Rate.Provider value={currency ?? null}>{children}</Rate.Provider>;
}

/** Return the currency in which sums are also shown, for `about`; null for US dollars only. */
export function useCurrency(): Currency | null {
  return useContext(Rate);
}
