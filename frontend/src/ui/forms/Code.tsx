import { TextInput, type TextInputProps } from "@mantine/core";

/** Render a field for a second-factor or recovery code. */
export function Code(props: TextInputProps) {
  return (
    <TextInput
      label="Code"
      description="The six digits that your authenticator app shows now, or a recovery code"
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={40}
      required
      {...props}
    />
  );
}
