import { act, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { SIGNED_OUT } from "@tests/session";
import { expect, it, vi } from "vitest";
import { SignInPage } from "@/features/session/SignInPage";

function open(as = SIGNED_OUT) {
  const asked = stubService();
  render(
    <Surroundings as={as}>
      <SignInPage here="/plans" />
    </Surroundings>,
  );
  return asked;
}

async function attempt(): Promise<void> {
  const user = userEvent.setup();
  await user.type(screen.getByRole("textbox", { name: "E-mail" }), "ada@example.org");
  await user.type(screen.getByLabelText("Password"), "not it");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
}

it("says that they do not fit, not which of the two, and asks for the password again", async () => {
  const asked = open();
  await attempt();
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]?.body).toEqual({ email: "ada@example.org", password: "not it" });
  asked[0]?.answer(401, { title: "Sign in first", detail: "E-mail and password do not fit." });
  expect((await screen.findByRole("alert")).textContent).toBe("E-mail and password do not fit.");
  expect(screen.getByLabelText<HTMLInputElement>("Password").value).toBe("");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "E-mail" }).value).toBe("ada@example.org");
});

it("counts down to the next attempt, and sends none before", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  const asked = open();
  await attempt();
  await until(() => asked.length === 1);
  asked[0]?.answer(429, { title: "Too many attempts", detail: "Too many attempts." }, { "Retry-After": "32" });
  const left = (seconds: number) =>
    screen.queryByText(new RegExp(`The next one counts in ${seconds} s\\.$`), { ignore: "[role=alert]" });
  await until(() => left(32) !== null);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Sign in" }).disabled).toBe(true);
  act(() => vi.advanceTimersByTime(31_000));
  expect(left(1)).not.toBeNull();
  act(() => vi.advanceTimersByTime(1_000));
  screen.getByText(/The next one counts again\.$/);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Sign in" }).disabled).toBe(false);
});

it("offers the provider where there is one, and a reset by mail where there is mail", async () => {
  open({ ...SIGNED_OUT, provider: "Example ID", mail: true });
  screen.getByRole("button", { name: "Sign in with Example ID" });
  await userEvent.setup().click(screen.getByRole("button", { name: "Forgot the password?" }));
  screen.getByRole("button", { name: "Send a link" });
});

it("says who can help where no mail is sent", async () => {
  open();
  expect(screen.queryByRole("button", { name: /Sign in with/ })).toBeNull();
  await userEvent.setup().click(screen.getByRole("button", { name: "Forgot the password?" }));
  screen.getByText(/This service sends no mail/);
});
