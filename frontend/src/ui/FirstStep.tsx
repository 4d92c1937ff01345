import { CloseButton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import classes from "./FirstStep.module.css";

const STEPS = [
  "Describe the job: data, job and durability are enough.",
  "Read the answer: the sentence first, then the ranking of all options.",
  "Save the plan, or say what you run today to see the saving.",
] as const;

/** One of the three first steps, at the place where it happens. Hiding one hides all for good in this browser. */
export function FirstStep({ number }: { number: 1 | 2 | 3 }) {
  const [shown, setShown] = useLocalStorage({
    key: "stowage.first-steps",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  if (!shown) return null;
  return (
    <p className={`${classes.step} no-print`}>
      <span>
        <strong>Step {number} of 3.</strong> {STEPS[number - 1]}
      </span>
      <CloseButton size="sm" aria-label={`Hide the first steps (at step ${number})`} onClick={() => setShown(false)} />
    </p>
  );
}
