import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useMatch, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { catalogues, versionOf } from "@/api/catalogues";
import { useReachable } from "@/api/reachable";
import { alive } from "@/api/teams";
import { DEFAULTS } from "@/features/plan/choice";
import { day } from "@/lib/wording";
import { AutoIcon, Logo, MoonIcon, SunIcon } from "@/ui/Icons";
import { UndoProvider } from "@/ui/Undo";
import { useExampleOffered, useTeam } from "./ExampleTeam";
import classes from "./RootLayout.module.css";

/** What every page has: the bar, the skip link, the landmarks, whose team it is, whether the service answers. */
export function RootLayout() {
  const team = useTeam();
  return (
    <UndoProvider>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className={classes.bar}>
        <Link to="/" className={classes.brand}>
          <Logo />
          <span className={classes.word}>Stowage</span>
        </Link>
        <nav aria-label="Pages" className={classes.pages}>
          <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
            Plan
          </Link>
          <Link to="/explore" activeOptions={{ includeSearch: false }}>
            Explore
          </Link>
          <Link to="/volumes" activeOptions={{ includeSearch: false }}>
            Volumes
          </Link>
          <Link to="/plans" activeOptions={{ includeSearch: false }}>
            Saved plans
          </Link>
          <Link to="/sweeps" activeOptions={{ includeSearch: false }}>
            Sweeps
          </Link>
          <Link to="/validation" activeOptions={{ includeSearch: false }}>
            Validation
          </Link>
        </nav>
        <CatalogueNote />
        <ExampleOffer />
        <Theme />
      </header>
      {team === "example" && (
        <aside className={classes.banner} aria-label="Team">
          <span>You are looking at the example team.</span>
          <Link to="/plans" search={{ team: undefined }}>
            Back to your own plans
          </Link>
        </aside>
      )}
      <Offline />
      {/* Nothing of one team's page is left on another's. */}
      <main id="content" tabIndex={-1} className={classes.content} key={team}>
        <Outlet />
      </main>
    </UndoProvider>
  );
}

/** Leads to the example team, where it has something to show. */
function ExampleOffer() {
  if (!useExampleOffered()) return null;
  return (
    <Link to="/plans" search={{ team: "example" }} className={classes.example}>
      Example team
    </Link>
  );
}

const LOOK_EVERY_MS = 5_000;

/** The one place that says that nothing answers; it asks until something does. */
function Offline() {
  const reachable = useReachable();
  useQuery({ ...alive, enabled: !reachable, refetchInterval: LOOK_EVERY_MS });
  return (
    <div role="alert">
      {!reachable && (
        <p className={classes.offline}>
          <strong>The service cannot be reached.</strong> What is shown is the last answer. Trying again every 5
          seconds.
        </p>
      )}
    </div>
  );
}

/** What the page rests on: the region and the version that its address names, else the newest. */
function CatalogueNote() {
  const { data } = useQuery(catalogues);
  const { catalogue: asked, version, region: wanted } = useSearch({ strict: false });
  // A saved plan says itself what it rests on.
  const isSaved = useMatch({ from: "/plans/$planId", shouldThrow: false }) !== undefined;
  const catalogue = versionOf(data ?? [], version ?? asked ?? "latest") ?? data?.[0];
  if (catalogue === undefined || isSaved) return <span className={classes.note} />;
  const region = catalogue.regions.find(({ name }) => name === (wanted ?? DEFAULTS.region)) ?? catalogue.regions[0];
  return (
    <span className={classes.note} title={catalogue.title}>
      {region?.name}
      <span>
        {" "}
        · catalogue {catalogue.version}, {day(catalogue.as_of)}
      </span>
    </span>
  );
}

type Scheme = "light" | "dark" | "auto";

const THEMES: [Scheme, string, () => ReactNode][] = [
  ["light", "Light", SunIcon],
  ["dark", "Dark", MoonIcon],
  ["auto", "As the system", AutoIcon],
];

function Theme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="xs"
      className={classes.theme}
      aria-label="Colours"
      value={colorScheme}
      onChange={(scheme) => setColorScheme(scheme as Scheme)}
      data={THEMES.map(([value, label, Icon]) => ({
        value,
        label: (
          <span className={classes.scheme} title={label}>
            <Icon />
            <span className="spoken">{label}</span>
          </span>
        ),
      }))}
    />
  );
}
