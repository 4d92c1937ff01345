import { Button, UnstyledButton } from "@mantine/core";
import { createContext, type ReactNode, useContext, useState } from "react";
import { MOST_PINS, toggled } from "@/features/plan/address/view";
import { PinIcon } from "@/ui/Icons";
import classes from "./PinButton.module.css";

interface Pins {
  keys: readonly string[];
  /** How a configuration is pinned: with what of it the question left open. */
  pinOf?: (configuration: string) => string;
  onChange: (keys: string[]) => void;
}

const asIs = (configuration: string) => configuration;

const PinsContext = createContext<Pins>({ keys: [], onChange: () => undefined });

/** What is pinned, for every button within. */
export function PinsProvider({ pins, children }: { pins: Pins; children: ReactNode }) {
  return <PinsContext.Provider value={pins}>{children}</PinsContext.Provider>;
}

interface PinButtonProps {
  configuration: string;
  /** As it is read aloud: `98 × i2.8xlarge, 4 data + 4 scratch disks`. */
  name: string;
  /** With words, where there is room; else the icon alone. */
  words?: boolean;
}

/** Pins a configuration to compare it, or takes it off; says why not where there are enough. */
export function PinButton({ configuration, name, words = false }: PinButtonProps) {
  const { keys, pinOf = asIs, onChange } = useContext(PinsContext);
  const [refused, setRefused] = useState(false);
  // What is pinned already is named as it was pinned.
  const pin = keys.includes(configuration) ? configuration : pinOf(configuration);
  const pinned = keys.includes(pin);
  const toggle = () => {
    const next = toggled(keys, pin);
    setRefused(next === null);
    if (next !== null) onChange(next);
  };
  const shown = pinned ? "Pinned" : "Pin to compare";
  const common = {
    "aria-label": words ? `${shown}: ${name}` : `Pin ${name}`,
    "aria-pressed": pinned,
    // The row behind the button opens on a click; this click was for the pin.
    onClick: (event: { stopPropagation: () => void }) => {
      event.stopPropagation();
      toggle();
    },
  };
  return (
    <span className={`${classes.pin} no-print`}>
      {words ? (
        <Button
          {...common}
          variant={pinned ? "light" : "default"}
          size="compact-sm"
          leftSection={<PinIcon filled={pinned} />}
        >
          {shown}
        </Button>
      ) : (
        <UnstyledButton {...common} className={classes.icon} title={pinned ? "Unpin" : "Pin to compare"}>
          <PinIcon filled={pinned} />
        </UnstyledButton>
      )}
      {refused && keys.length >= MOST_PINS && (
        <span role="alert" className={classes.refused}>
          {MOST_PINS} are pinned already. Unpin one to pin this.
        </span>
      )}
    </span>
  );
}
