import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { type Choice, DEFAULTS } from "@/features/plan/choice";
import { WorkloadForm } from "@/features/plan/WorkloadForm";
import { Surroundings } from "./render";
import { stubService } from "./service";

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
  stubService();
  const seen: Choice[] = [];
  render(<Form first={first} seen={seen} />, { wrapper: Surroundings });
  return { user: userEvent.setup(), seen };
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
    expect(durabilities()).toEqual(["none", "application", "infrastructure", "object-store"]);
    await user.click(screen.getByRole("radio", { name: "Object store (S3)" }));
    await user.selectOptions(job(), "Random I/O");
    expect(durabilities()).toEqual(["none", "application", "infrastructure"]);
    expect((screen.getByRole("radio", { name: /None/ }) as HTMLInputElement).checked).toBe(true);
    await user.selectOptions(job(), "Write to HDFS");
    expect(durabilities()).toEqual(["none", "infrastructure"]);
  });

  it("shows what is chosen although it is not offered", () => {
    show({ job: "random-io", durability: "object-store" });
    expect((screen.getByRole("radio", { name: "Object store (S3)" }) as HTMLInputElement).checked).toBe(true);
  });

  it("that is spelled out in a file is shown, not asked, and not offered otherwise", async () => {
    const phases = '[{"name":"load","input_read":"1 TB"},{"name":"merge","output_write":"1 TB"}]';
    const { user } = show({ job: "phases", phases });
    expect(screen.getByText("2 phases, changed in the file only: load, merge.")).toBeDefined();
    await user.selectOptions(job(), "Sort");
    expect(within(job()).queryByRole("option", { name: "Spelled out in the file" })).toBeNull();
  });
});
