import type { ComponentProps } from "react";

/**
 * Button without a look of its own. It costs no more than its element, unlike that of the component library: a table has
 * dozens, and renders at each step of a drag.
 */
export function PlainButton({ className = "", ...props }: ComponentProps<"button">) {
  return <button type="button" className={`plain-button ${className}`} {...props} />;
}
