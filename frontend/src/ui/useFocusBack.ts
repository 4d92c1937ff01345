import { useLayoutEffect } from "react";

/** Restore the focus when the component unmounts. */
export function useFocusBack(): void {
  // A layout effect, because it runs before the effects that move the focus.
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement || before instanceof SVGElement) {
        if (before.isConnected) before.focus({ preventScroll: true });
      }
    };
  }, []);
}
