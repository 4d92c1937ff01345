import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** Render a password field with a show button; errors are announced to screen readers. */
export function Password(props: PasswordInputProps) {
  const wrong = props.error !== undefined && props.error !== null && props.error !== false;
  return (
    <PasswordInput
      maxLength={128}
      aria-invalid={wrong || undefined}
      visibilityToggleButtonProps={{ "aria-label": "Show what is typed", tabIndex: 0 }}
      {...props}
    />
  );
}
