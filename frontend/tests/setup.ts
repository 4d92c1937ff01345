import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { client } from "@/api/generated/client.gen";

// jsdom has no layout and no network: what the page asks of both is answered here.
client.setConfig({ baseUrl: "http://stowage.test" });

window.matchMedia = (query: string): MediaQueryList => ({
  matches: false,
  media: query,
  onchange: null,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  addListener: () => undefined,
  removeListener: () => undefined,
  dispatchEvent: () => false,
});

window.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
