import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { Table } from "@/ui/table/Table";

const NODES = [
  { name: "i3.large", count: 4 },
  { name: "i3.xlarge", count: 2 },
];

it("renders a scrolling region with column and row headers, aligned numbers, a caption and a total", () => {
  render(
    <Table
      scrolls="Nodes"
      caption="Nodes of the cluster"
      rows={NODES}
      keyOf={({ name }) => name}
      rowProps={({ count }) => ({ "data-chosen": count > 2 || undefined })}
      columns={[
        { head: "Type", rowHead: "strong", cell: ({ name }) => name },
        {
          head: "Count",
          number: true,
          className: "small",
          cell: ({ count }, place) => `${place + 1}: ${count}`,
          cellProps: ({ count }) => ({ title: `${count} nodes` }),
        },
      ]}
    >
      <tr>
        <th scope="row">Together</th>
        <td>6</td>
      </tr>
    </Table>,
  );
  const region = screen.getByRole("region", { name: "Nodes" });
  expect([region.className, region.tabIndex]).toEqual(["scroller", 0]);
  const table = within(region).getByRole("table", { name: "Nodes of the cluster" });
  expect(table.className).toBe("plain");
  const heads = within(table).getAllByRole("columnheader");
  expect(heads.map(({ textContent, className }) => [textContent, className])).toEqual([
    ["Type", ""],
    ["Count", "number"],
  ]);
  const rows = within(table).getAllByRole("rowheader");
  expect(rows.map(({ textContent, className }) => [textContent, className])).toEqual([
    ["i3.large", "strong"],
    ["i3.xlarge", "strong"],
    ["Together", ""],
  ]);
  const cell = within(table).getByRole("cell", { name: "1: 4" });
  expect([cell.className, cell.title]).toEqual(["number small", "4 nodes"]);
  expect(cell.closest("tr")?.dataset["chosen"]).toBe("true");
});

it("renders the details of a row below it, without a region where none is named", () => {
  render(
    <Table
      className="picking"
      aria-label="Nodes"
      rows={NODES}
      keyOf={({ name }) => name}
      columns={[{ head: "Type", cell: ({ name }) => name }]}
      details={({ name, count }) =>
        count === 4 && (
          <tr>
            <td>Details of {name}</td>
          </tr>
        )
      }
    />,
  );
  expect(screen.queryByRole("region")).toBeNull();
  expect(screen.getByRole("table", { name: "Nodes" }).className).toBe("picking");
  const cells = screen.getAllByRole("cell").map(({ textContent }) => textContent);
  expect(cells).toEqual(["i3.large", "Details of i3.large", "i3.xlarge"]);
});
