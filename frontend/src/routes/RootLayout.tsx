import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { catalogues } from "@/api/queries";
import { day } from "@/lib/wording";
import { AutoIcon, Logo, MoonIcon, SunIcon } from "@/ui/Icons";
import classes from "./RootLayout.module.css";

/** What every page has: the bar, the skip link, the landmarks. */
export function RootLayout() {
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className={classes.bar}>
        <Link to="/" className={classes.brand}>
          <Logo />
          Stowage
        </Link>
        <nav aria-label="Pages" className={classes.pages}>
          <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
            Plan
          </Link>
          <Link to="/plans">Saved plans</Link>
        </nav>
        <CatalogueNote />
        <Theme />
      </header>
      <main id="content" tabIndex={-1} className={classes.content}>
        <Outlet />
      </main>
    </>
  );
}

function CatalogueNote() {
  const { data } = useQuery(catalogues);
  const { catalogue: wanted } = useSearch({ strict: false });
  const catalogue = data?.find(({ version }) => version === wanted) ?? data?.[0];
  if (catalogue === undefined) return <span className={classes.note} />;
  return (
    <span className={classes.note} title={catalogue.title}>
      {catalogue.region}
      <span className={classes.catalogue}>
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
