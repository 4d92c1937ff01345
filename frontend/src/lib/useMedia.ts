import { useMediaQuery } from "@mantine/hooks";

/** Media queries of the widths below which tables become cards. */
export const BELOW = { tablet: "(max-width: 47.99em)", desktop: "(max-width: 61.99em)" };

/** Check if a media query matches, already in the first render. */
export function useMedia(query: string): boolean {
  return useMediaQuery(query, undefined, { getInitialValueInEffect: false }) ?? false;
}
