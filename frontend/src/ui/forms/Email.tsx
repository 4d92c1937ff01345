import { TextInput, type TextInputProps } from "@mantine/core";

/** Field for an e-mail address, by which the reader signs in unless told otherwise. */
export function Email(props: TextInputProps) {
  return <TextInput label="E-mail" type="email" autoComplete="username" maxLength={254} {...props} />;
}
