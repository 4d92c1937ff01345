import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { client } from "@/api/generated/client.gen";

// jsdom has no layout and no network: what the page asks of both is answered here.
client.setConfig({ baseUrl: "http://stowage.test" });

// How long `findBy` and `waitFor` await an event that never comes; below the test's own limit, for the better message.
configure({ asyncUtilTimeout: 30_000 });

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

// jsdom matches each of its default rules against each element that a query by role looks at: half of the suite's CPU
// time. No style sheet of the page is loaded, so an element's own style and its kind decide whether it is displayed.
const UNDISPLAYED = "[hidden], datalist, head, link, meta, script, style, template, title, input[type=hidden]";
const notDisplayed = document.createElement("span").style;
notDisplayed.display = "none";
window.getComputedStyle = (element: Element) =>
  element.matches(UNDISPLAYED) ? notDisplayed : (element as HTMLElement | SVGElement).style;

Element.prototype.scrollIntoView = () => undefined;
Element.prototype.scrollTo = () => undefined;
window.scrollTo = () => undefined;
URL.createObjectURL = () => "blob:stowage";
URL.revokeObjectURL = () => undefined;

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  window.history.replaceState(null, "", "/");
  window.localStorage.clear();
});
