import { cleanup, configure, getConfig } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { client } from "@/api/generated/client.gen";

// jsdom has no layout and no network: what the page asks of both is answered here.
client.setConfig({ baseUrl: "http://stowage.test" });

// How long `findBy` and `waitFor` await an event that never comes; below the test's own limit, for the better message.
configure({ asyncUtilTimeout: 30_000 });

// While `findBy` and `waitFor` wait, each failed query would print the whole document into an error that the next try
// discards. They print it themselves when their time is over.
const withDocument = getConfig().getElementError;
configure({
  getElementError: (message, container) =>
    isWaiting(getConfig()) ? new Error(message ?? "") : withDocument(message, container),
});

function isWaiting(config: object): boolean {
  return "_disableExpensiveErrorDiagnostics" in config && config._disableExpensiveErrorDiagnostics === true;
}

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
const UNDISPLAYED = new Set(["datalist", "head", "link", "meta", "script", "style", "template", "title"]);
const notDisplayed = document.createElement("span").style;
notDisplayed.display = "none";
window.getComputedStyle = (element: Element) =>
  isUndisplayed(element) ? notDisplayed : (element as HTMLElement | SVGElement).style;

function isUndisplayed(element: Element): boolean {
  return (
    UNDISPLAYED.has(element.localName) ||
    element.hasAttribute("hidden") ||
    (element.localName === "input" && element.getAttribute("type") === "hidden")
  );
}

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
