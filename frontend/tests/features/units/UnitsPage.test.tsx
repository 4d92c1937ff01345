// Settings of units and currency: who may change what, and what is sent.

import { act, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { OWNER, VIEWER } from "@tests/session";
import { afterEach, describe, expect, it } from "vitest";
import type { TeamCurrencyAnswer } from "@/api/generated";
import { UnitsPage } from "@/features/units/UnitsPage";
import { AS_STATED, chooseUnits, chosenUnits } from "@/lib/units";

const NOTHING: TeamCurrencyAnswer = { current: null, history: [] };
const EURO: TeamCurrencyAnswer = {
  current: { code: "EUR", usd_rate: 0.86, since: "2026-11-02" },
  history: [
    {
      words: "1 USD = 0.86 EUR as of 2026-11-02, given by the team",
      person: "Ada",
      created_at: "2026-11-28T09:00:00Z",
    },
  ],
};

async function shown(answer: TeamCurrencyAnswer, as = OWNER) {
  const asked = stubService();
  render(
    <Surroundings as={as}>
      <UnitsPage />
    </Surroundings>,
  );
  await until(() => asked.some(({ path }) => path === "/api/v1/currency"));
  asked[0]?.answer(200, answer);
  await screen.findByRole("combobox", { name: "Currency" });
  return asked;
}

const cells = (name: string) =>
  within(screen.getByRole("row", { name: new RegExp(`^${name}`) }))
    .getAllByRole("cell")
    .map((cell) => cell.textContent);

const rate = () => screen.getByRole<HTMLInputElement>("textbox", { name: /per US dollar$/ });

describe("currency of the team", () => {
  it("shows its effect while it is typed, and sends code, rate and day", async () => {
    const asked = await shown(NOTHING);
    expect(screen.queryByRole("textbox", { name: /per US dollar$/ })).toBeNull();
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Currency" }), "EUR");
    await userEvent.type(rate(), "0.86");
    expect(screen.getByTestId("example").textContent).toBe("Saves $1,120 a month (about €963).");
    await userEvent.type(screen.getByLabelText("As of"), "2026-11-02");
    await userEvent.click(screen.getByRole("button", { name: "Save currency" }));
    const sent = () => asked.find(({ body }) => body !== null);
    await until(() => sent() !== undefined);
    expect(sent()?.body).toEqual({ code: "EUR", usd_rate: 0.86, since: "2026-11-02" });
    sent()?.answer(200, EURO);
    expect(await screen.findByText("The currency applies from now on.")).toBeTruthy();
    expect(screen.getByRole("cell", { name: "1 USD = 0.86 EUR as of 2026-11-02, given by the team" })).toBeTruthy();
  });

  it("does not send a rate out of range or for another currency, and clears the rate with the currency", async () => {
    const asked = await shown(EURO);
    expect(rate().value).toBe("0.86");
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Currency" }), "JPY");
    expect(rate().value).toBe("");
    expect(rate().validity.valueMissing).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Save currency" }));
    await userEvent.type(rate(), "0.00001");
    expect(screen.getByText(/from 0.0001 to 1,000,000/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Save currency" }));
    expect(asked.some(({ body }) => body !== null)).toBe(false);
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Currency" }), "USD");
    await userEvent.click(screen.getByRole("button", { name: "Save currency" }));
    await until(() => asked.some(({ body }) => body !== null));
    expect(asked.find(({ body }) => body !== null)?.body).toEqual({ code: "USD" });
  });

  it("is only read by those who do not own the team", async () => {
    await shown(EURO, VIEWER);
    expect(screen.getByText("Owners of the team can change the currency.")).toBeTruthy();
    expect(screen.getByText(/^Last changed by Ada, /)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Save currency" })).toBeNull();
    expect(rate().readOnly).toBe(true);
  });

  it("states at the field what the service refuses", async () => {
    const asked = await shown(EURO);
    await userEvent.click(screen.getByRole("button", { name: "Save currency" }));
    await until(() => asked.some(({ body }) => body !== null));
    asked
      .find(({ body }) => body !== null)
      ?.answer(422, { detail: "A field is wrong.", errors: [{ path: "since", message: "2026-11-02 is not between" }] });
    expect((await screen.findByRole("alert")).textContent).toBe("2026-11-02 is not between.");
  });
});

describe("units in this browser", () => {
  afterEach(() => chooseUnits(AS_STATED));

  it("are stored without the service, and shown on examples", async () => {
    const asked = await shown(NOTHING, VIEWER);
    expect(cells("Network bandwidth")).toEqual(["25 Gbit/s", "25 Gbit/s"]);
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Rates" }), "MB/s");
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Sizes" }), "binary");
    expect(cells("Network bandwidth")).toEqual(["25 Gbit/s", "3,120 MB/s"]);
    expect(cells("Instance store")).toEqual(["7,500 GB", "6,980 GiB"]);
    expect(chosenUnits()).toEqual({ sizes: "binary", rates: "MB/s" });
    expect(asked.some(({ method }) => method !== "GET")).toBe(false);
  });

  it("follow a choice in another tab", async () => {
    await shown(NOTHING);
    const units = JSON.stringify({ sizes: "binary", rates: "MB/s" });
    window.localStorage.setItem("stowage.units", units);
    act(() => void window.dispatchEvent(new StorageEvent("storage", { key: "stowage.units", newValue: units })));
    expect(cells("Network bandwidth")).toEqual(["25 Gbit/s", "3,120 MB/s"]);
    expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Sizes" }).value).toBe("binary");
  });
});
