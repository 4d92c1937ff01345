import { RouterProvider } from "@tanstack/react-router";
import { act, render } from "@testing-library/react";
import { router } from "@/routes/router";
import { Surroundings } from "./render";
import { stubService } from "./service";

/** Opens the whole page at an address, signed in; returns the requests to the service. */
export async function follow(address: string, as?: Parameters<typeof Surroundings>[0]["as"]) {
  const asked = stubService();
  window.history.replaceState(null, "", address);
  render(
    <Surroundings {...(as === undefined ? {} : { as })}>
      <RouterProvider router={router} />
    </Surroundings>,
  );
  await act(() => router.load());
  return asked;
}
