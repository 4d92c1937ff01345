import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { follow } from "@tests/follow";
import { expect, it } from "vitest";

const CATALOGS = {
  catalogs: [
    version("aws-2026-07-06", true, ["us-east-1", "eu-west-1"]),
    version("paper-2014", true, ["us-east-1"]),
    version("paper-2014-gce", false, ["us-central1"]),
  ],
  next_cursor: null,
};

function version(name: string, searchable: boolean, regions: string[]) {
  return {
    version: name,
    title: name,
    as_of: "2026-07-06",
    searchable,
    regions: regions.map((region) => ({ name: region, instance_types: 1, priced: 1, volume_types: 1, digest: "d" })),
  };
}

async function chip(address: string) {
  const asked = await follow(address);
  await waitFor(() => {
    for (const one of asked) if (one.path.endsWith("/catalogs") && !one.isRead()) one.answer(200, CATALOGS);
    expect(screen.getByRole("button", { name: /^Region/ }).textContent).toContain("aws-2026");
  });
  return screen.getByRole("button", { name: /^Region/ });
}

function choose(label: string, value: string) {
  const panel = within(screen.getByRole("dialog"));
  fireEvent.change(panel.getByRole("combobox", { name: label }), { target: { value } });
}

const search = () => Object.fromEntries(new URLSearchParams(window.location.search));

it("shows region, catalog and framework of a question and changes them, and nothing else of it", async () => {
  const button = await chip("/plans/scenarios/new?data=40+TB&region=eu-west-1&rows=deadline");
  expect(button.getAttribute("aria-label")).toBe("Region, catalog and framework: eu-west-1, aws-2026-07-06, Spark");
  fireEvent.click(button);
  choose("Framework", "flink");
  await waitFor(() => expect(search()).toMatchObject({ framework: "flink", data: "40 TB", region: "eu-west-1" }));
  choose("Region", "us-east-1");
  await waitFor(() => expect(search()).not.toHaveProperty("region"));
  expect(search()).toMatchObject({ framework: "flink", data: "40 TB" });
  choose("Catalog", "paper-2014");
  await waitFor(() => expect(search()).toMatchObject({ catalog: "paper-2014" }));
});

it("keeps pins and the current cluster when the region changes", async () => {
  fireEvent.click(await chip("/plans/new?pins=40-i2.8xlarge-own&today=60-i2.8xlarge-own"));
  choose("Region", "eu-west-1");
  await waitFor(() => expect(search()).toMatchObject({ region: "eu-west-1" }));
  expect(search()["today"]).toMatch(/^60-i2\.8xlarge-own/);
  expect(search()["pins"]).toMatch(/^40-i2\.8xlarge-own/);
});

it("shows the region and version of the instance table, and closes what is of the other region", async () => {
  fireEvent.click(await chip("/catalog/instances?type=i3.large&sort=vcpus"));
  choose("Region", "eu-west-1");
  await waitFor(() => expect(search()).toEqual({ region: "eu-west-1", sort: "vcpus" }));
});

it("is absent where none of them applies", async () => {
  await follow("/reports");
  await screen.findByRole("navigation", { name: "Pages" });
  expect(screen.queryByRole("button", { name: /^Region/ })).toBeNull();
});
