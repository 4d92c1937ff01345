import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>;

/** Link to a page that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & LinkProps) => <Button component="a" {...props} />);
