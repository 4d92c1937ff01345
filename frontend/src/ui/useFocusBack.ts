import { useLayoutEffect } from "react";

/** When what uses this closes, the keyboard goes on where it was. */
export function useFocusBack(): void {
  // Before the effects that move the focus into what opens.
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement || before instanceof SVGElement) {
        if (before.isConnected) before.focus({ preventScroll: true });
      }
    };
  }, []);
}
