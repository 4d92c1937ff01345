import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { OWNER } from "@tests/session";
import { expect, it } from "vitest";
import { AccountPage } from "@/features/account/AccountPage";

const PROOF_NEEDED = {
  type: "urn:stowage:problem:proof-needed",
  title: "Proof needed",
  detail: "Confirm that this is you.",
};

type Person = NonNullable<typeof OWNER.person>;

function open(more: Partial<Person> = {}, provider: string | null = null, mail = false) {
  const asked = stubService();
  const person: Person = { ...(OWNER.person as Person), ...more };
  const session = { ...OWNER, person, provider, mail };
  render(
    <Surroundings as={session}>
      <AccountPage session={session} />
    </Surroundings>,
  );
  const sent = (path: string) => asked.filter((each) => each.path === path);
  return {
    verifications: () => sent("/api/v1/account/email/link"),
    credentials: () => sent("/api/v1/account/credentials"),
    proofs: () => sent("/api/v1/session/proof"),
  };
}

async function askForAnotherEmail(credentials: () => { answer: (status: number, body: unknown) => void }[]) {
  const user = userEvent.setup();
  const email = screen.getByRole("textbox", { name: "E-mail" });
  await user.clear(email);
  await user.type(email, "ada@example.com");
  await user.click(screen.getByRole("button", { name: "Change" }));
  await waitFor(() => expect(credentials()).toHaveLength(1));
  credentials()[0]?.answer(403, PROOF_NEEDED);
  return user;
}

it("asks for reauthentication in place, then repeats the request", async () => {
  const { credentials, proofs } = open();
  const user = await askForAnotherEmail(credentials);
  await user.click(await screen.findByLabelText("Current password"));
  await user.paste("marmot ladder quiet 71");
  await user.click(screen.getByRole("button", { name: "Confirm" }));
  await waitFor(() => expect(proofs()).toHaveLength(1));
  expect(credentials()).toHaveLength(1);
  proofs()[0]?.answer(204, null);
  await waitFor(() => expect(credentials()).toHaveLength(2));
  expect(credentials()[1]).toMatchObject({ body: { email: "ada@example.com" } });
  expect(screen.queryByText("Confirm that this is you")).toBeNull();
});

it("changes nothing if the reauthentication is cancelled, and says what is missing", async () => {
  const { credentials } = open();
  const user = await askForAnotherEmail(credentials);
  await user.click(await screen.findByRole("button", { name: "Cancel" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Confirm that this is you");
  expect(credentials()).toHaveLength(1);
});

it("asks a person without a password to confirm at the provider", async () => {
  const { credentials } = open({ has_password: false, proofs: ["provider"] }, "Example ID");
  await askForAnotherEmail(credentials);
  await screen.findByRole("button", { name: "Confirm with Example ID" });
  expect(screen.queryByLabelText("Current password")).toBeNull();
});

it("asks a person who signed in by a link for a new link", async () => {
  const { credentials } = open({ has_password: false, proofs: [] });
  await askForAnotherEmail(credentials);
  await screen.findByText(/Sign in with a new one/);
});

it("shows that an address is not verified and mails a link", async () => {
  const { verifications } = open({ email_verified: false }, null, true);
  await userEvent.setup().click(screen.getByRole("button", { name: "Send a link to verify it" }));
  await waitFor(() => expect(verifications()).toHaveLength(1));
  verifications()[0]?.answer(202, null);
  await screen.findByText(/A link is on its way/);
});

it("names the operator as the one who verifies addresses if no mail is sent", () => {
  open({ email_verified: false });
  screen.getByText(/stowage verify-email/);
  expect(screen.queryByRole("button", { name: "Send a link to verify it" })).toBeNull();
});
