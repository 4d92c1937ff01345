import { TextInput } from "@mantine/core";
import { usdIn } from "@/lib/amounts";
import classes from "./ClusterFields.module.css";

interface PaidFieldProps {
  /** Monthly cost as stated by the user; "" if it is computed. */
  paid: string;
  onPaid: (text: string) => void;
}

/** Field for the stated cost of the current cluster, which replaces the predicted one in savings. */
export function PaidField({ paid, onPaid }: PaidFieldProps) {
  return (
    <TextInput
      className={classes.wide}
      label="Cost a month, if you know it"
      placeholder="computed"
      value={paid}
      error={paid !== "" && usdIn(paid) === null ? "An amount, like 2,950 USD" : undefined}
      onChange={(event) => onPaid(event.currentTarget.value)}
      autoComplete="off"
    />
  );
}
