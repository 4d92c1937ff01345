import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { expect, it, vi } from "vitest";
import type { DeploymentAnswer } from "@/api/generated";
import { Deploy } from "@/features/deploy/Deploy";

const ANSWER: DeploymentAnswer = {
  price_terms: null,
  feasible: true,
  what: "3 × i4i.large in us-east-1",
  sentence: "3 × i4i.large sort 1 TB in 1 h.",
  files: [
    {
      format: "cloudformation",
      title: "CloudFormation",
      name: "nightly.cloudformation.yaml",
      language: "yaml",
      text: "# <script>alert(1)</script>\nResources: {}\n",
      notes: ["One group."],
    },
    { format: "terraform", title: "Terraform", name: "nightly.tf", language: "hcl", text: "# Terraform\n", notes: [] },
  ],
  refusals: [{ format: "emr", title: "EMR", reason: "EMR does not take i4i.large" }],
  notes: ["They install no Hadoop."],
  catalog_version: "aws-2026-07-06",
  model_version: "2",
};
const FILE = { workload: { data: "1 TB" }, cluster: { instance: "i4i.large", nodes: 3 } };

function show(shown = true) {
  const asked = stubService();
  render(<Deploy deployable={{ name: "Nightly", file: FILE, purchase: "spot" }} shown={shown} />, {
    wrapper: Surroundings,
  });
  return asked;
}

it("asks for the files of the cluster, and shows the first", async () => {
  const asked = show();
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]?.path).toBe("/api/v1/deployments");
  expect(asked[0]?.body).toEqual({ name: "Nightly", file: FILE, purchase: "spot" });
  asked[0]?.answer(200, ANSWER);
  const code = await screen.findByRole("region", { name: "nightly.cloudformation.yaml" });
  expect(code.textContent).toBe(ANSWER.files[0]?.text);
  expect(code.tabIndex).toBe(0);
  expect(screen.getByText("They install no Hadoop.")).toBeDefined();
  expect(screen.getByText("One group.")).toBeDefined();
});

it("requests nothing while it is closed", async () => {
  const asked = show(false);
  await Promise.resolve();
  expect(asked).toHaveLength(0);
});

it("goes from format to format by keyboard, and says why one is not there", async () => {
  const asked = show();
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer(200, ANSWER);
  const first = await screen.findByRole("tab", { name: "CloudFormation" });
  const user = userEvent.setup();
  first.focus();
  await user.keyboard("{ArrowRight}");
  expect(screen.getByRole("region", { name: "nightly.tf" })).toBeDefined();
  await user.keyboard("{ArrowRight}");
  expect(screen.getByText("EMR does not take i4i.large.")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Download" })).toBeNull();
});

it("copies and downloads the text as it is", async () => {
  const asked = show();
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer(200, ANSWER);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Copy" }));
  expect(await navigator.clipboard.readText()).toBe(ANSWER.files[0]?.text);
  const kept: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => String(kept.push(blob as Blob)));
  await user.click(screen.getByRole("button", { name: "Download" }));
  expect(await kept[0]?.text()).toBe(ANSWER.files[0]?.text);
});

it("says what a cluster lacks that cannot do the job", async () => {
  const asked = show();
  await waitFor(() => expect(asked).toHaveLength(1));
  asked[0]?.answer(200, { feasible: false, limit: "capacity", reason: "1 TB does not fit", nearest: "5 nodes" });
  expect(await screen.findByText(/1 TB does not fit\. 5 nodes would do\./)).toBeDefined();
});
