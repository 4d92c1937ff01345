import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Surroundings } from "@tests/render";
import { stubService } from "@tests/service";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { WorkloadForm } from "@/features/plan/form/WorkloadForm";
import type { Choice } from "@/features/plan/workload/choice";
import { DEFAULTS } from "@/features/plan/workload/fields";

function Form({ first, seen }: { first: Partial<Choice>; seen: Choice[] }) {
  const [choice, setChoice] = useState<Choice>({ ...DEFAULTS, ...first });
  const [more, setMore] = useState(false);
  seen.push(choice);
  return (
    <WorkloadForm
      choice={choice}
      remarks={{ fields: {}, elsewhere: [] }}
      onChange={(changes) => setChoice((before) => ({ ...before, ...changes }))}
      more={more}
      onMore={setMore}
    />
  );
}

function show(first: Partial<Choice> = {}) {
  const asked = stubService();
  const seen: Choice[] = [];
  render(<Form first={first} seen={seen} />, { wrapper: Surroundings });
  return { user: userEvent.setup(), seen, asked };
}

const job = () => screen.getByRole("combobox", { name: "Job" });
const durabilities = () =>
  within(screen.getByRole("radiogroup", { name: "Durability" }))
    .getAllByRole("radio")
    .map((radio) => (radio as HTMLInputElement).value);

describe("the job", () => {
  it("brings its own few questions, and takes them away again", async () => {
    const { user, seen } = show();
    expect(screen.queryByRole("textbox", { name: "Record size" })).toBeNull();
    await user.selectOptions(job(), "Append to a log");
    await user.selectOptions(screen.getByRole("combobox", { name: "Waits for the disk" }), "At each record");
    await user.selectOptions(job(), "Random I/O");
    await user.clear(screen.getByRole("textbox", { name: "Outstanding, per node" }));
    await user.type(screen.getByRole("textbox", { name: "Outstanding, per node" }), "16");
    expect(seen.at(-1)).toMatchObject({ job: "random-io", depth: "16", fsync: DEFAULTS.fsync });
  });

  it("decides how the data may be kept", async () => {
    const { user } = show();
    expect(durabilities()).toEqual(["none", "application", "infrastructure", "object-store", "any"]);
    await user.click(screen.getByRole("radio", { name: "Amazon S3" }));
    await user.selectOptions(job(), "Random I/O");
    expect(durabilities()).toEqual(["none", "application", "infrastructure", "any"]);
    expect((screen.getByRole("radio", { name: /no replication/ }) as HTMLInputElement).checked).toBe(true);
    await user.selectOptions(job(), "Write to HDFS");
    expect(durabilities()).toEqual(["none", "infrastructure", "any"]);
  });

  it("shows what is chosen although it is not offered", () => {
    show({ job: "random-io", durability: "object-store" });
    expect((screen.getByRole("radio", { name: "Amazon S3" }) as HTMLInputElement).checked).toBe(true);
  });

  it("that is spelled out in a file is shown, not asked, and not offered otherwise", async () => {
    const phases = '[{"name":"load","input_read":"1 TB"},{"name":"merge","output_write":"1 TB"}]';
    const { user } = show({ job: "phases", phases });
    expect(screen.getByText("2 phases, changed in the file only: load, merge.")).toBeDefined();
    await user.selectOptions(job(), "Sort");
    expect(within(job()).queryByRole("option", { name: "Spelled out in the file" })).toBeNull();
  });
});

describe("how the data is kept", () => {
  it("left open, is bounded by a chance of loss, which goes when a way is chosen", async () => {
    const { user, seen } = show();
    await user.click(screen.getByRole("radio", { name: "Any option that meets a durability target" }));
    expect(seen.at(-1)).toMatchObject({ durability: "any", loss: "0.1 %" });
    expect((screen.getByRole("textbox", { name: "Chance of loss at most" }) as HTMLInputElement).value).toBe("0.1 %");
    await user.click(screen.getByRole("radio", { name: /no replication/ }));
    expect(seen.at(-1)).toMatchObject({ durability: "none", loss: "" });
  });
});

describe("the questions that decide", () => {
  it("come first, in this order, without opening anything", () => {
    show({ deadline: "2 h" });
    const fields = [...document.querySelectorAll("form input:not([type=radio]), form select")];
    const first = ["Job", "Data", "Deadline", "Confidence", "Runs per month"];
    const labels = fields.slice(0, first.length).map((field) => (field as HTMLInputElement).labels?.[0]?.textContent);
    expect(labels).toEqual(first);
  });
});

describe("what is looked for", () => {
  it("is chosen, and the chance to meet a deadline once there is one", async () => {
    const { user, seen } = show();
    await user.selectOptions(screen.getByRole("combobox", { name: "Find" }), "Fastest run");
    expect(screen.queryByRole("combobox", { name: "Confidence" })).toBeNull();
    await user.type(screen.getByRole("textbox", { name: "Deadline" }), "1 h");
    const confidence = screen.getByRole("combobox", { name: "Confidence" }) as HTMLSelectElement;
    expect(confidence.selectedOptions[0]?.text).toBe("95%");
    await user.selectOptions(confidence, "90%");
    expect(seen.at(-1)).toMatchObject({ objective: "time", deadline: "1 h", chance: "90 %" });
    await user.selectOptions(confidence, "Median");
    expect(seen.at(-1)).toMatchObject({ chance: "50 %" });
  });

  it("is the median where nothing is assumed, and shows a confidence that the list lacks", () => {
    show({ deadline: "1 h", usual: "ignored" });
    const shown = () => screen.getByRole("combobox", { name: "Confidence" }) as HTMLSelectElement;
    expect(shown().selectedOptions[0]?.text).toBe("Median");
    cleanup();
    show({ deadline: "1 h", chance: "61 %" });
    expect(shown().selectedOptions[0]?.text).toBe("61%");
  });
});

describe("sliders", () => {
  const slider = (name: string) => screen.getByRole("slider", { name });

  it("write what a person would write, by keys", async () => {
    const { user, seen } = show();
    slider("Data").focus();
    await user.keyboard("{ArrowRight}");
    expect(seen.at(-1)?.data).toBe("102 TB");
    await user.keyboard("{End}");
    // The question follows at its pace.
    await waitFor(() => expect(seen.at(-1)?.data).toBe("10 PB"));
  });

  it("have no limit at their far end, and take it away with Delete", async () => {
    const { user, seen } = show({ deadline: "30 min" });
    expect(slider("Deadline").getAttribute("aria-valuetext")).toBe("30 min");
    expect(slider("Budget").getAttribute("aria-valuetext")).toBe("no budget");
    slider("Deadline").focus();
    await user.keyboard("{Delete}");
    expect(seen.at(-1)?.deadline).toBe("");
  });

  it("take back with Escape what they did, and follow what is typed", async () => {
    const { user, seen } = show({ budget: "$500" });
    slider("Budget").focus();
    await user.keyboard("{ArrowLeft}");
    expect(seen.at(-1)?.budget).toBe("495 USD");
    await user.keyboard("{Escape}");
    expect(seen.at(-1)?.budget).toBe("$500");
    await user.type(screen.getByRole("textbox", { name: "Budget" }), "0");
    expect(slider("Budget").getAttribute("aria-valuetext")).toBe("5000 USD");
  });
});

describe("the framework", () => {
  const row = {
    id: "00000000-0000-4000-8000-000000000001",
    framework: "spark-etl",
    name: "spark-etl",
    runs: 4,
    outdated: false,
    not_refitted: null,
    median_error_before_pct: 63.2,
    median_error_pct: 3.84,
    evidence: "4 finished jobs",
    person: "Ada",
    created_at: "2026-11-23T09:05:00Z",
    current: true,
  };

  it("may be one of the team's calibrations, named with runs, error and date", async () => {
    const { user, seen, asked } = show();
    await waitFor(() => expect(asked.some(({ path }) => path.endsWith("/calibrations"))).toBe(true));
    const older = { ...row, id: "00000000-0000-4000-8000-000000000002", runs: 3, current: false };
    act(() =>
      asked
        .find(({ path }) => path.endsWith("/calibrations"))
        ?.answer(200, { calibrations: [row, older], frameworks: [], fewest_jobs: 3 }),
    );
    const framework = screen.getByRole("combobox", { name: "Framework" });
    await waitFor(() => expect(within(framework).getAllByRole("option")).toHaveLength(8));
    const offer = within(framework).getByRole("option", { name: /^spark-etl: / });
    expect(offer.textContent).toMatch(/^spark-etl: 4 runs, off by 3.84%, 23 Nov/);
    await user.selectOptions(framework, offer);
    expect(seen.at(-1)).toEqual({ ...DEFAULTS, framework: "spark-etl" });
  });

  it("is what most people run such a job with, unless it is chosen; own runs of it take its place", async () => {
    const { user, asked } = show();
    const framework = screen.getByRole("combobox", { name: "Framework" });
    const offered = () =>
      within(framework)
        .getAllByRole("option")
        .map(({ textContent }) => textContent);
    expect(offered()[0]).toBe("Default: Spark");
    await user.selectOptions(screen.getByRole("combobox", { name: "Job" }), "hdfs-write");
    expect(offered()[0]).toBe("Default: HDFS (TestDFSIO)");
    await user.selectOptions(screen.getByRole("combobox", { name: "Job" }), "random-io");
    expect(offered()[0]).toBe("Default: Hardware limits");
    expect(offered()).toContain("Spark");
    const own = { ...row, framework: "spark", name: "spark" };
    await waitFor(() => expect(asked.some(({ path }) => path.endsWith("/calibrations"))).toBe(true));
    act(() =>
      asked
        .find(({ path }) => path.endsWith("/calibrations"))
        ?.answer(200, { calibrations: [own], frameworks: [], fewest_jobs: 3 }),
    );
    await waitFor(() => expect(offered().some((text) => text?.startsWith("spark: 4 runs"))).toBe(true));
    expect(offered()).not.toContain("Spark");
  });
});
