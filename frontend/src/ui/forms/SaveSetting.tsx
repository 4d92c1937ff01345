import { Button, Group } from "@mantine/core";
import { moment } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";

interface SaveSettingProps {
  /** Name of the setting: `price terms`. */
  name: string;
  /** Notice after it is saved. */
  saved: string;
  mayChange: boolean;
  saving: { isPending: boolean; isSuccess: boolean };
  /** Its last change; undefined if it was never changed. */
  last: { person: string; created_at: string } | undefined;
}

/** End of the form of a setting that owners of the team change: the button, the last change, a notice after saving. */
export function SaveSetting({ name, saved, mayChange, saving, last }: SaveSettingProps) {
  return (
    <>
      <Group gap="sm">
        {mayChange ? (
          <Button type="submit" loading={saving.isPending}>
            Save {name}
          </Button>
        ) : (
          <span className="dim">Owners of the team can change the {name}.</span>
        )}
        {last !== undefined && (
          <span className="dim small">
            Last changed by {last.person}, {moment(last.created_at)}.
          </span>
        )}
      </Group>
      <div role="status" style={{ marginTop: 12 }}>
        {saving.isSuccess && <Notice tone="plain">{saved}</Notice>}
      </div>
    </>
  );
}
