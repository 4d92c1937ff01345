import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";

interface RowActionProps extends Pick<ButtonProps, "className"> {
  /** Accessible name, which makes sense without the row. */
  label: string;
  /** Change that the button makes; it spins meanwhile. */
  change: { mutate: () => void; isPending?: boolean };
  children: ReactNode;
}

/** Small button that changes the object of a row. */
export function RowAction({ label, change: { mutate, isPending = false }, children, ...props }: RowActionProps) {
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      aria-label={label}
      loading={isPending}
      onClick={() => mutate()}
      {...props}
    >
      {children}
    </Button>
  );
}
