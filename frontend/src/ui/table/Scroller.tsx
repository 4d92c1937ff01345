import type { ComponentProps } from "react";

/** Region that scrolls on its own. */
export function Scroller({ className = "scroller", ...props }: ComponentProps<"section">) {
  // A scrolling region must be reachable by keyboard.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  return <section className={className} tabIndex={0} {...props} />;
}
