import { Menu, UnstyledButton } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { chooseTeam, signOut } from "@/api/generated";
import { adoptSession, adoptSignedOut, type Session } from "@/api/teams/session";
import { ROLE_WORDS } from "@/lib/people";
import { CheckIcon, PersonIcon } from "@/ui/Icons";
import { useExampleOffered } from "./ExampleTeam";
import { usePages } from "./pages";
import classes from "./RootLayout.module.css";

/** Render the account menu: person, current team, other teams, settings, sign-out. */
export function AccountMenu({ session }: { session: Session & { person: NonNullable<Session["person"]> } }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { person, team, teams } = session;
  const exampleOffered = useExampleOffered();
  const settings = usePages().filter(({ place }) => place === "Settings");
  const leaving = useMutation({
    mutationFn: () => signOut(),
    onSuccess: () => {
      adoptSignedOut(client);
      void navigate({ to: "/", search: {} });
    },
  });
  const choosing = useMutation({
    mutationFn: (org_id: string) => chooseTeam({ body: { org_id } }),
    onSuccess: (now) => {
      // The open page belongs to the previous team.
      void navigate({ to: "/", search: {} });
      adoptSession(client, now);
    },
  });
  return (
    <Menu
      position="bottom-end"
      width={260}
      withinPortal={false}
      // The placeholder would not be a valid menu item.
      withInitialFocusPlaceholder={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <UnstyledButton className={classes.tool} aria-label={`Account: ${person.name}`}>
          <PersonIcon />
          <span className={classes.accountName}>{person.name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {person.email ?? person.name}
          {team !== null && (
            <>
              <br />
              {ROLE_WORDS[team.role].name} of {team.name}
            </>
          )}
        </Menu.Label>
        {teams.length > 1 && (
          <>
            <Menu.Divider />
            {teams.map(({ org_id, name }) => (
              <Menu.Item
                key={org_id}
                // As a prop, the role would be overridden.
                renderRoot={(props) => (
                  <button {...props} role="menuitemradio" aria-checked={org_id === team?.org_id} />
                )}
                rightSection={org_id === team?.org_id ? <CheckIcon /> : null}
                onClick={() => {
                  if (org_id !== team?.org_id) choosing.mutate(org_id);
                }}
              >
                {name}
              </Menu.Item>
            ))}
          </>
        )}
        {exampleOffered && (
          <Menu.Item renderRoot={(props) => <Link to="/plans" search={{ team: "example" }} {...props} />}>
            Example team
          </Menu.Item>
        )}
        <Menu.Divider />
        {settings.map(({ to, name }) => (
          <Menu.Item key={to} renderRoot={(props) => <Link to={to as "/"} search={{ team: undefined }} {...props} />}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => leaving.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
