import { until } from "@tests/service";
import { expect, it } from "vitest";
import { ApiProblem, Unreachable } from "@/api/problem";
import { Sender, type Service } from "@/features/measurements/upload/sender";
import { piecesOf, sendingAfter, waitAfter, waiting } from "@/features/measurements/upload/sending";

interface Sent {
  begun: string[];
  pieces: string[];
  read: string[];
  discarded: string[];
  waits: number[];
}

/** A service of pieces of 4 bytes that fails as it is told, then answers. */
function service(failing: unknown[] = []): { sent: Sent; service: Service } {
  const sent: Sent = { begun: [], pieces: [], read: [], discarded: [], waits: [] };
  const perhaps = () => {
    const error = failing.shift();
    if (error !== undefined && error !== null) throw error;
  };
  return {
    sent,
    service: {
      piece_bytes: 4,
      begin: async (name) => {
        sent.begun.push(name);
        return { id: `id-${name}`, received_bytes: 0 };
      },
      putPiece: async (id, number, piece) => {
        perhaps();
        sent.pieces.push(`${id} ${number} ${await piece.text()}`);
        return { id, received_bytes: 4 * number + piece.size };
      },
      read: async (id) => {
        sent.read.push(id);
      },
      discard: async (id) => {
        sent.discarded.push(id);
      },
      wait: async (ms) => {
        sent.waits.push(ms);
      },
      onChange: () => undefined,
    },
  };
}

const file = (name: string, text: string) => new File([text], name);

it("cuts a file into pieces of one size, the last as large as what is left", () => {
  expect(piecesOf(10, 4)).toEqual([
    { from: 0, to: 4 },
    { from: 4, to: 8 },
    { from: 8, to: 10 },
  ]);
  expect(piecesOf(8, 4)).toHaveLength(2);
});

it("waits twice as long after each failure, half a minute at most", () => {
  expect([1, 2, 3, 20].map(waitAfter)).toEqual([1_000, 2_000, 4_000, 30_000]);
});

it("sends every piece in order, then has the file read", async () => {
  const { sent, service: to } = service();
  const sender = new Sender(to);
  sender.add([file("a", "0123456789")]);
  await until(() => sent.read.length === 1);
  expect(sent.pieces).toEqual(["id-a 0 0123", "id-a 1 4567", "id-a 2 89"]);
  await until(() => sender.now().length === 0);
});

it("sends a piece again that was lost, and none that arrived", async () => {
  const { sent, service: to } = service([null, new Unreachable(null), new Unreachable(null)]);
  const states: string[] = [];
  const sender = new Sender(to);
  sender.subscribe(() => states.push(sender.now()[0]?.state ?? "gone"));
  sender.add([file("a", "01234567")]);
  await until(() => sent.read.length === 1);
  expect(sent.pieces).toEqual(["id-a 0 0123", "id-a 1 4567"]);
  expect(sent.waits).toEqual([1_000, 2_000]);
  expect(states).toContain("lost");
});

it("stops at a refusal with its words, and goes on from there when asked", async () => {
  const { sent, service: to } = service([null, new ApiProblem(413, { detail: "Too large." })]);
  const sender = new Sender(to);
  sender.add([file("a", "01234567")]);
  await until(() => sender.now()[0]?.state === "failed");
  expect(sender.now()[0]).toMatchObject({ problem: "Too large.", sent_bytes: 4, uploadId: "id-a" });
  sender.again(sender.now()[0]?.key ?? "");
  await until(() => sent.read.length === 1);
  expect(sent.begun).toEqual(["a"]);
  expect(sent.pieces).toEqual(["id-a 0 0123", "id-a 1 4567"]);
});

it("asks again after a fault of the service, three times", async () => {
  const fault = () => new ApiProblem(500, { detail: "Our fault." });
  const { sent, service: to } = service([fault(), fault(), fault(), fault()]);
  const sender = new Sender(to);
  sender.add([file("a", "0123")]);
  await until(() => sender.now()[0]?.state === "failed");
  expect(sent.waits).toEqual([1_000, 2_000, 4_000]);
  expect(sender.now()[0]?.problem).toBe("Our fault.");
});

it("sends three files at once, the others when one is through", async () => {
  const { sent, service: to } = service();
  const open: (() => void)[] = [];
  const putPiece = to.putPiece;
  to.putPiece = async (...given) => {
    await new Promise<void>((resolve) => open.push(resolve));
    return putPiece(...given);
  };
  const sender = new Sender(to);
  sender.add(["a", "b", "c", "d", "e"].map((name) => file(name, "0123")));
  expect(sender.now().map(({ state }) => state)).toEqual(["sending", "sending", "sending", "waiting", "waiting"]);
  await until(() => open.length === 3);
  open.shift()?.();
  await until(() => sent.read.includes("id-a"));
  await until(() => open.length === 3);
  for (let left = 0; left < 4; left += 1) {
    await until(() => open.length > 0);
    open.shift()?.();
  }
  await until(() => sent.read.length === 5);
});

it("begins uploads in the order of the files, also after one that is refused", async () => {
  const { sent, service: to } = service();
  const begin = to.begin;
  to.begin = async (name, ...given) => {
    // The first one takes longest.
    for (let turns = name === "a" ? 20 : 0; turns > 0; turns -= 1) await Promise.resolve();
    if (name === "b") throw new ApiProblem(422, { detail: "Too large." });
    return begin(name, ...given);
  };
  const sender = new Sender(to);
  sender.add(["a", "b", "c"].map((name) => file(name, "0123")));
  await until(() => sent.read.length === 2);
  expect(sent.begun).toEqual(["a", "c"]);
  expect(sender.now().map(({ name, state }) => `${name} ${state}`)).toEqual(["b failed"]);
});

it("throws away what the service has of a file that is cancelled", async () => {
  const { sent, service: to } = service();
  to.putPiece = (_id, _number, _piece, signal) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new DOMException("", "AbortError"))),
    );
  const sender = new Sender(to);
  sender.add([file("a", "0123")]);
  await until(() => sender.now()[0]?.uploadId === "id-a");
  sender.cancel(sender.now()[0]?.key ?? "");
  await until(() => sent.discarded.length === 1);
  expect(sender.now()).toEqual([]);
  expect(sent.read).toEqual([]);
});

it("refuses an empty file without asking anybody", () => {
  const { sent, service: to } = service();
  const sender = new Sender(to);
  sender.add([file("a", "")]);
  expect(sender.now()[0]).toMatchObject({ state: "failed", problem: "The file is empty." });
  expect(sent.begun).toEqual([]);
});

it("does not go back from sent", () => {
  const sent = sendingAfter(waiting("k", "a", 4), { what: "sent" });
  expect(sendingAfter(sent, { what: "failed", problem: "late" })).toBe(sent);
});
