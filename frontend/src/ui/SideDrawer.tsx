import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./SideDrawer.module.css";

interface SideDrawerProps {
  title: ReactNode;
  /** Largest width [px]. */
  width: number;
  onClose: () => void;
  children: ReactNode;
}

/** Details over the right part of a page; Escape closes them. */
export function SideDrawer({ title, width, onClose, children }: SideDrawerProps) {
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position="right"
      size={`min(${width}px, 100%)`}
      transitionProps={{ duration: 120 }}
      // Not `className` on the content, which would also apply to the layer around it.
      classNames={{ content: classes.drawer }}
    >
      <Drawer.Overlay backgroundOpacity={0.4} />
      <Drawer.Content>
        {/* Not `Drawer.Header`, which would add a second banner landmark. */}
        <div className={classes.head}>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close details" className="no-print" />
        </div>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
