import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { OWNER } from "@tests/session";
import { expect, it } from "vitest";
import { TokensPage } from "@/features/account/TokensPage";

it("announces why no token was made, at its field", async () => {
  const asked = stubService();
  render(
    <Surroundings>
      <TokensPage session={OWNER} />
    </Surroundings>,
  );
  const name = screen.getByRole("textbox", { name: "What it is for" });
  await userEvent.click(name);
  await userEvent.paste("Nightly planning");
  await userEvent.click(screen.getByRole("button", { name: "Make a token" }));
  const made = () => asked.find(({ body }) => body !== null);
  await until(() => made() !== undefined);
  made()?.answer(422, {
    detail: "A field is wrong.",
    errors: [{ path: "name", message: "another token has this name" }],
  });
  expect((await screen.findByRole("alert")).textContent).toBe("Another token has this name.");
  expect(name.getAttribute("aria-describedby")?.split(" ")).toContain(screen.getByRole("alert").parentElement?.id);
});
