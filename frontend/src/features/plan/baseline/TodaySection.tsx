import { Button, Collapse } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";
import { pinFrom, pinText } from "@/features/plan/address/pinText";
import classes from "./TodayForm.module.css";
import { hasOwnDisks, type TodayField, todayFrom, todayKey } from "./today";

interface TodaySectionProps {
  /** The current cluster, as in the URL. */
  today: string | undefined;
  /** Label of the button that opens the section. */
  words: string;
  /** Called when the section is closed. */
  onEnd: () => void;
  children: ReactNode;
}

/** Section of the current cluster, on demand. */
export function TodaySection({ today, words, onEnd, children }: TodaySectionProps) {
  const [open, setOpen] = useState(today !== undefined);
  const id = useId();
  const shown = open || today !== undefined;
  return (
    <section className={classes.today} aria-label="What runs today">
      <Button
        variant="subtle"
        size="compact-sm"
        className={classes.toggle}
        aria-expanded={shown}
        aria-controls={id}
        onClick={() => {
          setOpen(!shown);
          if (shown) onEnd();
        }}
      >
        {shown ? "Stop comparing with current cluster" : words}
      </Button>
      <Collapse expanded={shown} id={id}>
        {shown && <div className={classes.fields}>{children}</div>}
      </Collapse>
    </section>
  );
}

/** Fields of the current cluster; they follow the URL if it changes by other means, such as the back button. */
export function useTodayFields(today: string | undefined) {
  const pin = pinFrom(today ?? "");
  const [fields, setFields] = useState(() => todayFrom(pin.cluster));
  const [answers, setAnswers] = useState(pin.answers);
  const [seen, setSeen] = useState(today);
  const { key, errors } = todayKey(fields);
  if (today !== seen) {
    setSeen(today);
    if (today !== undefined) setAnswers(pin.answers);
    // Typing empties a field before it removes the cluster: complete fields mean that it was removed elsewhere.
    else if (key !== undefined) setFields(todayFrom(""));
    if (today !== undefined && pin.cluster !== key) setFields(todayFrom(pin.cluster));
  }
  /** Change a field, and return the cluster and its text in the URL. */
  const change = (field: TodayField, text: string) => {
    const next = { ...fields, [field]: text };
    setFields(next);
    const { key: cluster } = todayKey(next);
    // EBS volumes and the object store imply the durability.
    const own = hasOwnDisks(next) ? answers : [];
    return { cluster, today: cluster === undefined ? undefined : pinText({ cluster, answers: own }) };
  };
  return { fields, key, errors, change };
}
