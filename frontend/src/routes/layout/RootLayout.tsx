import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useMatches } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useReachable } from "@/api/reachable";
import { teamCurrency } from "@/api/teams/currency";
import { identityOf, type Session, session as sessionQuery } from "@/api/teams/session";
import { alive } from "@/api/teams/teams";
import { Inbox } from "@/features/inbox/Inbox";
import { Keys } from "@/features/keys/Keys";
import { UploadingProvider } from "@/features/measurements/upload/Uploading";
import { SignInPage } from "@/features/session/SignInPage";
import { ProblemNotice } from "@/ui/feedback/ProblemNotice";
import { UndoProvider } from "@/ui/feedback/Undo";
import { Logo } from "@/ui/Icons";
import { Rated } from "@/ui/values/InCurrency";
import { AccountMenu } from "./AccountMenu";
import { ContextChip } from "./ContextChip";
import { useTeam } from "./ExampleTeam";
import { NoTeam } from "./NoTeam";
import { Places, Tabs } from "./Places";
import classes from "./RootLayout.module.css";
import { SearchButton } from "./SearchButton";
import { Theme } from "./Theme";

/** Public pages: opened through links, without a session. */
const FOR_ANYBODY: ReadonlySet<string> = new Set(["/sign-in", "/join", "/reset", "/verify", "/s/$secret"]);
/** Pages available to people without a team. */
const WITHOUT_TEAM: ReadonlySet<string> = new Set(["/settings/account"]);

/** Return the displayed route; the URL changes before the next route is loaded. */
function useShown(): string {
  return useMatches({ select: (matches) => matches.at(-1)?.routeId ?? "" });
}

/** Render the frame of every page: skip link, landmarks, offline notice; and the sign-in page without a session. */
export function RootLayout() {
  const forAnybody = FOR_ANYBODY.has(useShown());
  const query = useQuery(sessionQuery);
  if (forAnybody) {
    return (
      <Plain linked={query.data?.signed_in === true}>
        {/* Public pages handle the session themselves: signing in there redirects. */}
        <Outlet />
      </Plain>
    );
  }
  if (query.data === undefined) {
    return (
      <Plain linked={false}>
        {query.error === null ? (
          <Looking />
        ) : (
          <ProblemNotice error={query.error} kept="" onRetry={() => void query.refetch()} />
        )}
      </Plain>
    );
  }
  if (!query.data.signed_in || query.data.person === null) return <SignedOut />;
  // The key discards all state of the previous reader.
  return <SignedIn key={identityOf(query.data)} session={{ ...query.data, person: query.data.person }} />;
}

/** Render a placeholder while the session is loading. */
function Looking() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height={120} mb="md" />
      <Skeleton height={320} />
    </div>
  );
}

/** Render the sign-in page in place of the page; the URL is kept. */
function SignedOut() {
  const here = useLocation({ select: ({ href }) => href });
  return (
    <Plain linked={false}>
      <SignInPage here={here} />
    </Plain>
  );
}

/** Render a bar with only the brand and the color scheme, for signed-out people and pages without navigation. */
function Plain({ linked, children }: { linked: boolean; children: ReactNode }) {
  const brand = (
    <>
      <Logo />
      <span className={classes.word}>Stowage</span>
    </>
  );
  return (
    <UndoProvider>
      <SkipLink />
      <header className={classes.bar}>
        {linked ? (
          <Link to="/" search={{ team: undefined }} className={classes.brand}>
            {brand}
          </Link>
        ) : (
          <span className={classes.brand}>{brand}</span>
        )}
        <div className={classes.tools}>
          <Keys />
          <Theme />
        </div>
      </header>
      <Offline />
      <main id="content" tabIndex={-1} className={classes.content}>
        {children}
      </main>
    </UndoProvider>
  );
}

function SkipLink() {
  return (
    <a className="skip" href="#content">
      Skip to the content
    </a>
  );
}

function SignedIn({ session }: { session: Session & { person: NonNullable<Session["person"]> } }) {
  const team = useTeam();
  const shown = useShown();
  const currency = useQuery({ ...teamCurrency, enabled: session.team !== null && team !== "example" });
  const homeless = session.team === null && team !== "example" && !WITHOUT_TEAM.has(shown);
  return (
    <UndoProvider>
      <UploadingProvider>
        <SkipLink />
        <header className={classes.bar}>
          <Link to="/" className={classes.brand}>
            <Logo />
            <span className={classes.word}>Stowage</span>
          </Link>
          <Places />
          <div className={classes.tools}>
            <ContextChip />
            <SearchButton />
            {session.team !== null && <Inbox />}
            <Keys />
            <Theme />
            <AccountMenu session={session} />
          </div>
        </header>
        {team === "example" && (
          <aside className={classes.banner} aria-label="Team">
            <span>You are looking at the example team.</span>
            <Link to="/plans" search={{ team: undefined }}>
              Back to your own plans
            </Link>
          </aside>
        )}
        <Tabs />
        <Offline />
        {/* The key discards all state of the previous team. */}
        <main id="content" tabIndex={-1} className={classes.content} key={team}>
          <Rated currency={currency.data?.current}>{homeless ? <NoTeam /> : <Outlet />}</Rated>
        </main>
      </UploadingProvider>
    </UndoProvider>
  );
}

const LOOK_EVERY_MS = 5_000;

/** Render a notice while the service is unreachable, polling until it responds. */
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
