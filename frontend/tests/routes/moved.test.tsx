import { createBrowserHistory, createRouter } from "@tanstack/react-router";
import { follow } from "@tests/follow";
import { expect, it } from "vitest";
import { router } from "@/routes/router";

const here = () => window.location.pathname + window.location.search + window.location.hash;

const ID = "00000000-0000-4000-8000-0000000000aa";

it.each([
  ["/?data=40+TB&deadline=2+h", "/plans/new?data=40+TB&deadline=2+h"],
  ["/?data=40+TB#answer", "/plans/new?data=40+TB#answer"],
  ["/?catalogue=paper-2014", "/plans/new?catalog=paper-2014"],
  ["/?row=98-i2.8xlarge-4-4&tab=money&team=example", "/plans/new?row=98-i2.8xlarge-4-4&tab=money&team=example"],
  ["/outlook?data=40+TB&months=12", "/plans/outlook?data=40+TB&months=12"],
  ["/sweeps?team=example", "/plans/scenarios?team=example"],
  ["/sweeps/new?data=40+TB", "/plans/scenarios/new?data=40+TB"],
  [`/sweeps/${ID}?show=cost&cell=4-3`, `/plans/scenarios/${ID}?show=cost&cell=4-3`],
  ["/explore?type=i3.8xlarge&sort=vcpus", "/catalog/instances?type=i3.8xlarge&sort=vcpus"],
  ["/volumes?capacity=500+GiB", "/catalog/volumes?capacity=500+GiB"],
  ["/measurements?tab=changes&only=regressions", "/benchmarks?tab=changes&only=regressions"],
  ["/measurements/uploads", "/benchmarks/upload"],
  [`/measurements/uploads/${ID}`, `/benchmarks/upload/${ID}`],
  ["/measurements/profiles/a%20b", "/benchmarks/profiles/a%20b"],
  [`/measurements/jobs/${ID}`, `/benchmarks/jobs/${ID}`],
  [`/measurements/calibrations/${ID}`, `/benchmarks/calibrations/${ID}`],
  [`/measurements/${ID}`, `/benchmarks/${ID}`],
  ["/runs?state=failed", "/benchmarks/runs?state=failed"],
  ["/runs/new?nodes=4", "/benchmarks/runs/new?nodes=4"],
  ["/runs/compare?ids=1,2", "/benchmarks/runs/compare?ids=1%2C2"],
  [`/runs/${ID}#log`, `/benchmarks/runs/${ID}#log`],
  ["/runs/accounts?account=new", "/settings/aws-accounts?account=new"],
  ["/runs/volumes?add=yes", "/benchmarks/monitored?add=yes"],
  [`/runs/volumes/${ID}`, `/benchmarks/monitored/${ID}`],
  ["/validation?misses=yes", "/benchmarks/accuracy?misses=yes"],
  ["/team", "/settings/team"],
  ["/team/audit-log?search=plan", "/settings/audit-log?search=plan"],
  ["/team/record?search=plan", "/settings/audit-log?search=plan"],
  ["/account", "/settings/account"],
  ["/account/tokens", "/settings/tokens"],
  ["/catalog", "/catalog/instances"],
  ["/settings", "/settings/account"],
])("leads from %s to %s", async (old, today) => {
  window.history.replaceState(null, "", old);
  // A router of its own: the page's waits for the page that showed it last, which earlier tests have taken down.
  await createRouter({ ...router.options, history: createBrowserHistory() }).load();
  expect(here()).toBe(today);
});

it.each(["/", "/?team=example", "/?no-such-field=1"])("opens the first page at %s", async (address) => {
  await follow(address);
  expect(window.location.pathname).toBe("/");
});
