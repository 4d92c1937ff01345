import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import { Invitations } from "@/features/team/Invitations";

it("announces why a person is not invited, at the field", async () => {
  const asked = stubService();
  render(
    <Surroundings>
      <Invitations mail={false} />
    </Surroundings>,
  );
  await userEvent.type(screen.getByRole("textbox", { name: "E-mail" }), "ben@example.org");
  await userEvent.click(screen.getByRole("button", { name: "Invite" }));
  const invited = () => asked.find(({ body }) => body !== null);
  await until(() => invited() !== undefined);
  invited()?.answer(422, {
    detail: "A field is wrong.",
    errors: [{ path: "email", message: "is in the team already" }],
  });
  expect((await screen.findByRole("alert")).textContent).toBe("Is in the team already.");
});

it("makes a new link for an invitation whose link was not copied", async () => {
  const asked = stubService();
  render(
    <Surroundings>
      <Invitations mail={false} />
    </Surroundings>,
  );
  const invitation = {
    id: "00000000-0000-4000-8000-000000000001",
    email: "ben@example.org",
    role: "planner",
    invited_by: "Ada",
    created_at: "2026-11-28T10:00:00Z",
    expires_at: "2026-12-05T10:00:00Z",
  };
  await until(() => asked.length > 0);
  asked[0]?.answer(200, { invitations: [invitation] });
  await userEvent.click(await screen.findByRole("button", { name: /^New link for ben@example\.org/ }));
  const renewed = () => asked.find(({ body }) => body !== null);
  await until(() => renewed() !== undefined);
  expect(renewed()?.body).toEqual({ email: "ben@example.org", role: "planner" });
  const made = { ...invitation, id: "00000000-0000-4000-8000-000000000002" };
  renewed()?.answer(201, { ...made, sent: false, link: "http://localhost/join#abc" });
  await until(() => asked.length > 2);
  asked[2]?.answer(200, { invitations: [made] });
  await screen.findByText("http://localhost/join#abc");
  screen.getByText(/Copy it now: it is not shown again\./);
});
