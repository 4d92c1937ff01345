import { Checkbox, CloseButton, Group, Modal } from "@mantine/core";
import { Fragment } from "react";
import { useFocusBack } from "@/ui/useFocusBack";
import classes from "./Keys.module.css";

const KEYS: readonly { where: string; keys: readonly (readonly [keys: readonly string[], does: string])[] }[] = [
  {
    where: "Every page",
    keys: [
      [["Ctrl K"], "Search plans, scenarios, reports, instance types and pages"],
      [["?"], "This list"],
      [["Esc"], "Close a dialog, a panel or a card"],
    ],
  },
  {
    where: "Lists and rankings",
    keys: [
      [["j", "↓"], "Next row; the arrow once a row has the focus"],
      [["k", "↑"], "Previous row"],
      [["Enter"], "Open the row"],
    ],
  },
  {
    where: "Charts and grids",
    keys: [
      [["←", "→", "↑", "↓"], "Next point or cell; move the deadline or budget line"],
      [["Page Up", "Page Down"], "Move a line in larger steps; first and last row of a grid"],
      [["Home", "End"], "First and last point or cell"],
      [["Enter"], "Open the point or cell"],
      [["Delete"], "Remove the deadline or budget line"],
    ],
  },
];

interface KeyListProps {
  open: boolean;
  onClose: () => void;
  /** Whether keys without a modifier are active. */
  single: boolean;
  onSingle: (single: boolean) => void;
}

/** Dialog with the keys of all pages, and a switch for those without a modifier. */
export function KeyList({ open, onClose, single, onSingle }: KeyListProps) {
  return (
    // The header of a whole Modal would be a second banner of the page.
    <Modal.Root
      opened={open}
      onClose={onClose}
      size="md"
      transitionProps={{ duration: 0 }}
      // The content restores the focus, also of the first opening, when this is loaded.
      returnFocus={false}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Keyboard shortcuts">
        <Modal.Body>
          <Group justify="space-between" mb="sm">
            <h2>Keyboard shortcuts</h2>
            <CloseButton aria-label="Close" onClick={onClose} />
          </Group>
          <Content single={single} onSingle={onSingle} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Content({ single, onSingle }: Pick<KeyListProps, "single" | "onSingle">) {
  useFocusBack();
  return (
    <>
      {KEYS.map(({ where, keys }) => (
        <section key={where} aria-label={where}>
          <h3>{where}</h3>
          <dl className={classes.keys}>
            {keys.map(([names, does]) => (
              <Fragment key={does}>
                <dt>
                  {names.map((name, at) => (
                    <Fragment key={name}>
                      {at > 0 && " "}
                      <kbd>{name}</kbd>
                    </Fragment>
                  ))}
                </dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
      <Checkbox
        label="Use j, k and ? as shortcuts"
        description="Stored in this browser. They are never active while you type in a field."
        checked={single}
        onChange={(event) => onSingle(event.currentTarget.checked)}
      />
    </>
  );
}
