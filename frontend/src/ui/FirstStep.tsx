import { CloseButton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import classes from "./FirstStep.module.css";

/** Fields that a plan needs. */
export const ENOUGH = "Job, data, deadline and runs per month are enough; everything else has a default.";

const STEPS = [
  ENOUGH,
  "Read the answer: the sentence first, then the ranking of all options.",
  "Say what you run today to see the saving, and save the plan.",
] as const;

interface FirstStepProps {
  number: 1 | 2 | 3;
  /** Remaining action, where a part of the step is done or not possible (default: the whole step). */
  words?: string | undefined;
  /** True if a space follows. */
  spaced?: boolean;
}

/** Return whether the first steps are shown in this browser, and a function that hides them for good. */
export function useFirstSteps(): [shown: boolean, hide: () => void] {
  const [shown, setShown] = useLocalStorage({
    key: "stowage.first-steps",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [shown, () => setShown(false)];
}

/** One of the three first steps, at the place where it happens. Hiding one hides all. */
export function FirstStep({ number, words = STEPS[number - 1], spaced = false }: FirstStepProps) {
  const [shown, hide] = useFirstSteps();
  if (!shown) return null;
  return (
    <p className={`${classes.step} no-print`} data-spaced={spaced || undefined}>
      <span>
        <strong>Step {number} of 3.</strong> {words}
      </span>
      <CloseButton size={24} aria-label={`Hide the first steps (at step ${number})`} onClick={hide} />
    </p>
  );
}
