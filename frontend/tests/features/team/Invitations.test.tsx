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
