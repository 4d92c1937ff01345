import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService, until } from "@tests/service";
import { expect, it } from "vitest";
import type { PriceTermsAnswer } from "@/api/generated";
import { PriceTermsPage } from "@/features/terms/PriceTermsPage";

const NOTHING: PriceTermsAnswer = {
  history: [],
  region: "us-east-1",
  examples: [
    { name: "r8gd.16xlarge", service: "on_demand", usd: 4.7, unit: "USD/h" },
    { name: "r8gd.16xlarge, Spot", service: "spot", usd: 2, unit: "USD/h" },
    { name: "EBS gp3", service: "ebs", usd: 0.08, unit: "USD per GiB and month" },
  ],
};

const OF_NOVEMBER: PriceTermsAnswer = {
  ...NOTHING,
  history: [
    {
      terms: {
        overall: 12,
        on_demand: null,
        spot: null,
        commitments: null,
        ebs: 20,
        s3: null,
        data_transfer: null,
        emr: 0,
        since: "2026-11-28",
      },
      words: "discounts up to 20%",
      details: "12% on EC2 on-demand; 20% on EBS; none on EC2 Spot",
      person: "Ann",
      created_at: "2026-11-28T09:00:00Z",
    },
  ],
};

async function shown(answer: PriceTermsAnswer) {
  const asked = stubService();
  render(
    <Surroundings>
      <PriceTermsPage />
    </Surroundings>,
  );
  await until(() => asked.some(({ path }) => path === "/api/v1/price-terms"));
  asked[0]?.answer(200, answer);
  await screen.findByRole("textbox", { name: "Overall" });
  return asked;
}

function cells(name: string): (string | null)[] {
  const row = screen.getByRole("row", { name: new RegExp(`^${name}`) });
  return within(row)
    .getAllByRole("cell")
    .map((cell) => cell.textContent);
}

it("shows the effect on prices while the terms are typed; Spot is not part of the overall discount", async () => {
  await shown(NOTHING);
  await userEvent.clear(screen.getByRole("textbox", { name: "Overall" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Overall" }), "12%");
  await userEvent.type(screen.getByRole("textbox", { name: "EBS" }), "25%");
  expect(cells("r8gd.16xlarge ?USD")).toEqual(["$4.70", "$4.1412% less"]);
  expect(cells("r8gd.16xlarge, Spot")).toEqual(["$2.00", "$2.00no discount"]);
  expect(cells("EBS gp3")).toEqual(["$0.08", "$0.0625% less"]);
});

it("sends what is filled in, and says at the field what the service refuses", async () => {
  const asked = await shown(NOTHING);
  await userEvent.clear(screen.getByRole("textbox", { name: "Overall" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Overall" }), "12");
  await userEvent.type(screen.getByRole("textbox", { name: "EMR fee" }), "none");
  await userEvent.click(screen.getByRole("button", { name: "Save price terms" }));
  const sent = () => asked.find(({ body }) => body !== null);
  await until(() => sent() !== undefined);
  expect(sent()?.body).toEqual({ overall: "12%", emr: "none" });
  sent()?.answer(422, { detail: "A field is wrong.", errors: [{ path: "emr", message: "is not a discount" }] });
  expect((await screen.findByRole("alert")).textContent).toBe("Is not a discount.");
});

it("refuses what is no discount before it is sent", async () => {
  const asked = await shown(NOTHING);
  await userEvent.type(screen.getByRole("textbox", { name: "S3" }), "96%");
  expect(screen.getByText(/Percent from 0% to 95%/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Save price terms" }));
  expect(asked.some(({ body }) => body !== null)).toBe(false);
});

it("says who changed the terms last, and shows them in the form", async () => {
  await shown(OF_NOVEMBER);
  expect(screen.getByText(/Last changed by Ann/)).toBeTruthy();
  const value = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name }).value;
  expect([value("Overall"), value("EBS"), value("EMR fee"), value("S3")]).toEqual(["12%", "20%", "none", ""]);
});

it("says that saved terms apply, and shows them as stored", async () => {
  const asked = await shown(NOTHING);
  await userEvent.clear(screen.getByRole("textbox", { name: "Overall" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Overall" }), "12");
  await userEvent.click(screen.getByRole("button", { name: "Save price terms" }));
  const sent = () => asked.find(({ body }) => body !== null);
  await until(() => sent() !== undefined);
  sent()?.answer(200, OF_NOVEMBER);
  expect(await screen.findByText("The price terms apply from now on.")).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Overall" }).value).toBe("12%");
});
