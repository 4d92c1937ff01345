import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { OWNER, SIGNED_OUT } from "@tests/session";
import { expect, it } from "vitest";
import { AccountPage } from "@/features/account/AccountPage";
import { SignInPage } from "@/features/session/SignInPage";

const PROOF_NEEDED = {
  type: "urn:stowage:problem:proof-needed",
  title: "Proof needed",
  detail: "Confirm that this is you.",
};

function open(more: Partial<NonNullable<typeof OWNER.person>>) {
  const asked = stubService();
  const person = { ...(OWNER.person as NonNullable<typeof OWNER.person>), ...more };
  render(
    <Surroundings as={{ ...OWNER, person }}>
      <AccountPage session={{ ...OWNER, person }} />
    </Surroundings>,
  );
  return (path: string) => asked.filter((each) => each.path === `/api/v1/${path}`);
}

it("sets up an app with a first code and shows the recovery codes once", async () => {
  const user = userEvent.setup();
  const sent = open({});
  await user.click(screen.getByRole("button", { name: "Set up an authenticator app" }));
  await waitFor(() => expect(sent("account/second-factor")).toHaveLength(1));
  const secret = { secret: "JBSWY3DPEHPK3PXP", uri: "otpauth://totp/x", qr: "data:image/svg+xml,x" };
  sent("account/second-factor")[0]?.answer(200, secret);
  expect((await screen.findByRole("img", { name: /QR code/ })).getAttribute("src")).toBe(secret.qr);
  expect(screen.getByText(secret.secret)).toBeTruthy();
  await user.type(screen.getByLabelText("Code"), "123456");
  await user.click(screen.getByRole("button", { name: "Confirm" }));
  await waitFor(() => expect(sent("account/second-factor/confirmation")).toHaveLength(1));
  expect(sent("account/second-factor/confirmation")[0]).toMatchObject({ body: { code: "123456" } });
  sent("account/second-factor/confirmation")[0]?.answer(200, { codes: ["aaaa-bbbb", "cccc-dddd"] });
  expect((await screen.findByRole("region", { name: "Your recovery codes" })).textContent).toContain("cccc-dddd");
  expect(screen.queryByRole("img", { name: /QR code/ })).toBeNull();
});

it("asks for password and code if the account has a second factor, and only for the code after the provider", async () => {
  for (const identified of [false, true]) {
    const user = userEvent.setup();
    const sent = open({ second_factor: true, authenticator_app: true, recovery_codes: 1, identified });
    expect(screen.getByText(/One recovery code is left/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "New recovery codes" }));
    await waitFor(() => expect(sent("account/second-factor/recovery-codes")).toHaveLength(1));
    sent("account/second-factor/recovery-codes")[0]?.answer(403, PROOF_NEEDED);
    await user.type(await screen.findByLabelText("Code"), "654321");
    if (!identified) await user.type(screen.getByLabelText("Current password"), "marmot ladder quiet 71");
    await user.click(screen.getByRole("button", { name: "Confirm" }));
    await waitFor(() => expect(sent("session/proof")).toHaveLength(1));
    const password = identified ? {} : { password: "marmot ladder quiet 71" };
    expect(sent("session/proof")[0]?.body).toEqual({ ...password, code: "654321" });
    document.body.replaceChildren();
  }
});

it("shows only the provider if passwords are switched off", () => {
  render(
    <Surroundings as={{ ...SIGNED_OUT, passwords: false, provider: "Example" }}>
      <SignInPage here="/" />
    </Surroundings>,
  );
  expect(screen.getByText("Passwords are switched off on this service.")).toBeTruthy();
  expect(screen.queryByLabelText("Password")).toBeNull();
  expect(screen.getByRole("button", { name: "Sign in with Example" })).toBeTruthy();
});

it("asks for the code of a pending sign-in, and starts again if it has expired", async () => {
  const asked = stubService();
  const user = userEvent.setup();
  render(
    <Surroundings as={{ ...SIGNED_OUT, second_factor_needed: true }}>
      <SignInPage here="/" />
    </Surroundings>,
  );
  expect(screen.queryByLabelText("Password")).toBeNull();
  await user.type(screen.getByLabelText("Code"), "123456");
  await user.click(screen.getByRole("button", { name: "Sign in" }));
  const sent = () => asked.filter((each) => each.path === "/api/v1/session/second-factor");
  await waitFor(() => expect(sent()).toHaveLength(1));
  sent()[0]?.answer(401, { title: "Sign in first", detail: "The sign-in has expired: sign in again." });
  await screen.findByText("The sign-in has expired.");
  await user.click(screen.getByRole("button", { name: "Sign in again" }));
  expect(await screen.findByLabelText("E-mail")).toBeTruthy();
});
