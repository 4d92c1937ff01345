import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { alerts as alertsQuery } from "@/api/measurements/alerts";
import { profiles as profilesQuery } from "@/api/measurements/profiles";
import { uploads as uploadsQuery } from "@/api/measurements/uploads";
import { useMay } from "@/api/teams/session";
import { useUnits } from "@/lib/units";
import { counted } from "@/lib/wording";
import { ButtonLink } from "@/ui/links/ButtonLink";
import { ChangesTab } from "./changes/ChangesTab";
import { PlansChanged } from "./changes/PlansChanged";
import { ListTab } from "./ListTab";
import classes from "./Measurements.module.css";
import { ProfilesTab } from "./profiles/ProfilesTab";
import { profilesSentence } from "./profiles/sentences";
import { RecipesTab } from "./RecipesTab";
import { type MeasurementsSearch, TABS, type Tab, withChange } from "./search";
import { Arriving } from "./upload/Arriving";
import { ChooseFiles, DropZone } from "./upload/DropZone";

export interface MeasurementsPageProps {
  search: MeasurementsSearch;
  onSearch: (search: MeasurementsSearch, replace: boolean) => void;
  /** Called when files were added, to show their review. */
  onAdded: () => void;
  /** Finished jobs and calibrations. */
  jobs: ReactNode;
}

const NAMES: Record<Tab, string> = {
  profiles: "Figures",
  list: "Measurements",
  changes: "Changes",
  jobs: "Jobs and calibration",
  recipes: "How to measure",
};

/** Measurements of the team, their differences from published figures, and their effects. */
export function MeasurementsPage({ search, onSearch, onAdded, jobs }: MeasurementsPageProps) {
  useDocumentTitle("Benchmark results · Stowage");
  useUnits();
  const mayWrite = useMay("measurements.write");
  const unseen = useQuery(alertsQuery()).data?.alerts.filter(({ seen_at }) => seen_at === null).length ?? 0;
  const tab = search.tab ?? TABS[0];
  const put = (change: { [key in keyof MeasurementsSearch]?: string | undefined }, replace = true) =>
    onSearch(withChange(search, change), replace);
  const start = (
    <Stack gap={12} align="flex-start">
      {mayWrite && <ChooseFiles first onAdded={onAdded} />}
      <ButtonLink to="/benchmarks" search={{ tab: "recipes" }} variant="default" size="compact-sm">
        Copy a command that measures
      </ButtonLink>
    </Stack>
  );
  const page = (
    <div className="page small-labels">
      <Head onAdded={onAdded} mayWrite={mayWrite} />
      <Tabs
        className={classes.tabbed ?? ""}
        value={tab}
        onChange={(next) => onSearch(next === null ? {} : withChange({}, { tab: next }), false)}
        keepMounted={false}
      >
        <Tabs.List>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {NAMES[one]}
              {one === "changes" && unseen > 0 && (
                <span className="badge">
                  {unseen}
                  <span className="spoken"> new</span>
                </span>
              )}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="profiles" className={`card ${classes.panel}`}>
          <ProfilesTab search={search.search ?? ""} onSearch={(text) => put({ search: text })} start={start} />
        </Tabs.Panel>
        <Tabs.Panel value="list" className={`card ${classes.panel}`}>
          <ListTab search={search} onSearch={put} start={start} />
        </Tabs.Panel>
        <Tabs.Panel value="changes" className={`card ${classes.panel}`}>
          <ChangesTab
            onlyRegressions={search.only === "regressions"}
            onOnly={(only) => put({ only: only ? "regressions" : undefined })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="jobs" className={classes.panel}>
          {jobs}
        </Tabs.Panel>
        <Tabs.Panel value="recipes" className={`card ${classes.panel}`}>
          <RecipesTab instance={search.instance ?? ""} region={search.region ?? ""} onChange={put} />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
  return mayWrite ? <DropZone onAdded={onAdded}>{page}</DropZone> : page;
}

/** Summary of the page, changes in plans, and the drop zone. */
function Head({ onAdded, mayWrite }: { onAdded: () => void; mayWrite: boolean }) {
  const query = useQuery(profilesQuery());
  const uploads = useQuery({ ...uploadsQuery(), enabled: mayWrite }).data?.uploads ?? [];
  const read = uploads.filter(({ state }) => state === "read").length;
  const found = query.data?.profiles;
  return (
    <>
      <section className="card" aria-label="In a sentence">
        <h1 className="spoken">Benchmark results</h1>
        {query.isPending ? (
          <Skeleton height={28} role="status" aria-label="Reading what was measured" />
        ) : (
          <p className="headline" data-testid="sentence">
            {profilesSentence(found ?? [])}
          </p>
        )}
        {found?.some(({ feeds }) => feeds) && <PlansChanged />}
        {mayWrite && (found?.length ?? 0) > 0 && <ChooseFiles first onAdded={onAdded} />}
        {read > 0 && (
          <p className={classes.waiting}>
            <Link to="/benchmarks/upload">{counted(read, "file waits", "files wait")} to be reviewed</Link>
          </p>
        )}
      </section>
      {mayWrite && <Arriving uploads={uploads} />}
    </>
  );
}
