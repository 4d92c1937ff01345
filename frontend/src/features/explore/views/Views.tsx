import { Button, Group, Menu, UnstyledButton } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type SavedView, savedViews, saveView, viewsKey } from "@/api/catalog/views";
import { deleteInstanceView, renameInstanceView, restoreInstanceView } from "@/api/generated";
import { forTeam } from "@/api/requests";
import { useMay } from "@/api/teams/session";
import type { Change, ExploreSearch } from "@/features/explore/search";
import { Refusal } from "@/ui/feedback/Refusal";
import { useRemoval } from "@/ui/feedback/useRemoval";
import { NameForm } from "@/ui/forms/NameForm";
import { BUILT_IN, isSame, type Shown, showing, shownIn } from "./builtIn";
import classes from "./Views.module.css";

interface ViewsProps {
  /** Current parameters, including the filters that apply by default. */
  search: ExploreSearch;
  onChange: Change;
}

/** Views as chips: those of the page, then those that the team has saved; and the form to save the current one. */
export function Views({ search, onChange }: ViewsProps) {
  const client = useQueryClient();
  const mayWrite = useMay("plans.write");
  const query = useQuery(savedViews());
  const [saving, setSaving] = useState(false);
  const saved = query.data?.views ?? [];
  const now = shownIn(search);
  const isNow = (shown: SavedView["shown"]) => isSame(shownIn(shown), now);
  const isNew = !BUILT_IN.some((one) => isNow(one.shown)) && !saved.some((one) => isNow(one.shown));
  const show = (shown: SavedView["shown"] | Shown) => onChange(showing(shown), "new entry");
  const full = query.data !== undefined && saved.length >= query.data.most;
  return (
    <section className={`no-print ${classes.views}`} aria-label="Views">
      <Group gap={6}>
        {BUILT_IN.map(({ name, title, shown }) => (
          <Chip key={name} name={name} title={title} active={isNow(shown)} onShow={() => show(shown)} />
        ))}
        {saved.map((view) => (
          <SavedChip key={view.id} view={view} active={isNow(view.shown)} mayWrite={mayWrite} onShow={show} />
        ))}
        {mayWrite && isNew && !saving && (
          <Button
            variant="subtle"
            size="compact-sm"
            disabled={query.data === undefined || full}
            title={full ? `The team has ${saved.length} saved views; delete one first` : "For your team"}
            onClick={() => setSaving(true)}
          >
            Save view
          </Button>
        )}
      </Group>
      {saving && (
        <div className={classes.form}>
          <NameForm
            name=""
            action="Save"
            onRename={async (name) => {
              await saveView(name, now);
              await client.invalidateQueries({ queryKey: viewsKey() });
            }}
            onEnd={() => setSaving(false)}
          />
        </div>
      )}
      <Refusal error={query.data === undefined ? query.error : null} kept="The views of the page are still there." />
    </section>
  );
}

interface ChipProps {
  name: string;
  title: string;
  active: boolean;
  onShow: () => void;
}

function Chip({ name, title, active, onShow }: ChipProps) {
  return (
    <Button
      variant={active ? "filled" : "default"}
      size="compact-sm"
      radius="xl"
      aria-pressed={active}
      title={title}
      onClick={onShow}
    >
      {name}
    </Button>
  );
}

interface SavedChipProps {
  view: SavedView;
  active: boolean;
  mayWrite: boolean;
  onShow: (shown: SavedView["shown"]) => void;
}

/** Saved view, with a menu to rename or delete it. */
function SavedChip({ view, active, mayWrite, onShow }: SavedChipProps) {
  const { id, name, person, shown } = view;
  const client = useQueryClient();
  const [renaming, setRenaming] = useState(false);
  const path = { view_id: id };
  const deleting = useRemoval({
    words: `The view “${name}” is deleted.`,
    path,
    remove: deleteInstanceView,
    restore: restoreInstanceView,
    queryKey: viewsKey(),
  });
  if (renaming) {
    return (
      <NameForm
        name={name}
        onRename={async (to) => {
          await renameInstanceView({ path, body: { name: to }, ...forTeam() });
          await client.invalidateQueries({ queryKey: viewsKey() });
        }}
        onEnd={() => setRenaming(false)}
      />
    );
  }
  return (
    <span className={classes.saved}>
      <Chip name={name} title={`Saved by ${person}`} active={active} onShow={() => onShow(shown)} />
      {mayWrite && (
        <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <UnstyledButton className={classes.more} aria-label={`Change the view “${name}”`}>
              ⋯
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setRenaming(true)}>Rename</Menu.Item>
            <Menu.Item onClick={() => deleting.mutate()}>Delete</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  );
}
