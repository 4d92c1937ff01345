import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { AccountPage } from "@/features/account/AccountPage";
import { Surroundings } from "./render";
import { stubService } from "./service";
import { OWNER } from "./session";

const PROOF_NEEDED = { type: "urn:stowage:problem:proof-needed", title: "Proof needed", detail: "Prove once more." };

type Person = NonNullable<typeof OWNER.person>;

function open(more: Partial<Person> = {}, provider: string | null = null, mail = false) {
  const asked = stubService();
  const person: Person = { ...(OWNER.person as Person), ...more };
  const session = { ...OWNER, person, provider, mail };
  render(
    <Surroundings as={session}>
      <AccountPage session={session} tokensLink={null} />
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

it("asks for a proof in place where the service wants one, and then goes on with what was asked", async () => {
  const { credentials, proofs } = open();
  const user = await askForAnotherEmail(credentials);
  await user.type(await screen.findByLabelText("Present password"), "marmot ladder quiet 71");
  await user.click(screen.getByRole("button", { name: "Confirm" }));
  await waitFor(() => expect(proofs()).toHaveLength(1));
  expect(credentials()).toHaveLength(1);
  proofs()[0]?.answer(204, null);
  await waitFor(() => expect(credentials()).toHaveLength(2));
  expect(credentials()[1]).toMatchObject({ body: { email: "ada@example.com" } });
  expect(screen.queryByText("Confirm that this is you")).toBeNull();
});

it("changes nothing where the proof is given up, and says what is missing", async () => {
  const { credentials } = open();
  const user = await askForAnotherEmail(credentials);
  await user.click(await screen.findByRole("button", { name: "Cancel" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Prove once more");
  expect(credentials()).toHaveLength(1);
});

it("asks who has no password to confirm at the provider, and who came by a link to come by a new one", async () => {
  const { credentials } = open({ has_password: false, proofs: ["provider"] }, "Example ID");
  await askForAnotherEmail(credentials);
  await screen.findByRole("button", { name: "Confirm with Example ID" });
  expect(screen.queryByLabelText("Present password")).toBeNull();
});

it("tells who came by a link that a new one is the proof", async () => {
  const { credentials } = open({ has_password: false, proofs: [] });
  await askForAnotherEmail(credentials);
  await screen.findByText(/Sign in by a new one/);
});

it("says that an address is not verified, and has a link sent there", async () => {
  const { verifications } = open({ email_verified: false }, null, true);
  await userEvent.setup().click(screen.getByRole("button", { name: "Send a link to verify it" }));
  await waitFor(() => expect(verifications()).toHaveLength(1));
  verifications()[0]?.answer(202, null);
  await screen.findByText(/A link is on its way/);
});

it("says who verifies an address where no mail is sent", () => {
  open({ email_verified: false });
  screen.getByText(/stowage verify-email/);
  expect(screen.queryByRole("button", { name: "Send a link to verify it" })).toBeNull();
});
