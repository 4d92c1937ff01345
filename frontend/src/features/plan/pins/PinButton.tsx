import { Button } from "@mantine/core";
import { createContext, type ReactNode, useContext, useState } from "react";
import { MOST_PINS, toggled } from "@/features/plan/address/view";
import { PinIcon, PinnedIcon } from "@/ui/Icons";
import { PlainButton } from "@/ui/PlainButton";
import classes from "./PinButton.module.css";

interface Pins {
  keys: readonly string[];
  /** Converts a configuration to a pin, with the options that the question left open. */
  pinOf?: (configuration: string) => string;
  onChange: (keys: string[]) => void;
}

const asIs = (configuration: string) => configuration;

const PinsContext = createContext<Pins | undefined>(undefined);

/** Provider of the pins for all buttons within. */
export function PinsProvider({ pins, children }: { pins: Pins; children: ReactNode }) {
  return <PinsContext.Provider value={pins}>{children}</PinsContext.Provider>;
}

interface PinButtonProps {
  configuration: string;
  /** Accessible name: `98 × i2.8xlarge, 4 data + 4 scratch disks`. */
  name: string;
  /** True to show a text; false for the icon alone. */
  words?: boolean;
}

/**
 * Button that pins a configuration for comparison, or unpins it; shows a message if there are too many pins. Nothing
 * without a provider, as for guests.
 */
export function PinButton({ configuration, name, words = false }: PinButtonProps) {
  const pins = useContext(PinsContext);
  const [refused, setRefused] = useState(false);
  if (pins === undefined) return null;
  const { keys, pinOf = asIs, onChange } = pins;
  // An existing pin keeps its text.
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
    // Clicks on the row open it; this click is for the pin only.
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
          leftSection={pinned ? <PinnedIcon /> : <PinIcon />}
        >
          {shown}
        </Button>
      ) : (
        <PlainButton {...common} className={classes.icon} title={pinned ? "Unpin" : "Pin to compare"}>
          {pinned ? <PinnedIcon /> : <PinIcon />}
        </PlainButton>
      )}
      {refused && keys.length >= MOST_PINS && (
        <span role="alert" className={classes.refused}>
          {MOST_PINS} are pinned already. Unpin one to pin this.
        </span>
      )}
    </span>
  );
}
