import { Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import type { ReactNode } from "react";
import { AutoIcon, CheckIcon, MoonIcon, SunIcon } from "@/ui/Icons";
import classes from "./RootLayout.module.css";

const THEMES = [
  ["light", "Light", SunIcon],
  ["dark", "Dark", MoonIcon],
  ["auto", "As the system", AutoIcon],
] as const satisfies readonly (readonly ["light" | "dark" | "auto", string, () => ReactNode])[];

/** Render the menu of color schemes. */
export function Theme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [, name, Icon] = THEMES.find(([scheme]) => scheme === colorScheme) ?? THEMES[2];
  return (
    <Menu
      position="bottom-end"
      withinPortal={false}
      // The placeholder would not be a valid menu item.
      withInitialFocusPlaceholder={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <UnstyledButton className={classes.tool} aria-label={`Colors: ${name.toLowerCase()}`}>
          <Icon />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {THEMES.map(([scheme, label, Mark]) => (
          <Menu.Item
            key={scheme}
            // As a prop, the role would be overridden.
            renderRoot={(props) => <button {...props} role="menuitemradio" aria-checked={scheme === colorScheme} />}
            leftSection={<Mark />}
            rightSection={scheme === colorScheme ? <CheckIcon /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
