import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** A field for a password, which can be shown; what is wrong with it is told to those who hear it too. */
export function Password(props: PasswordInputProps) {
  const wrong = props.error !== undefined && props.error !== null && props.error !== false;
  return (
    <PasswordInput
      maxLength={128}
      withAsterisk={false}
      aria-invalid={wrong || undefined}
      visibilityToggleButtonProps={{ "aria-label": "Show what is typed", tabIndex: 0 }}
      {...props}
    />
  );
}
