import { Box, Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Every, type PlanWatch, planWatch, planWatchesKey, watch } from "@/api/planning/planWatches";
import { Refusal, remarkOn } from "@/ui/feedback/Refusal";
import { submits } from "@/ui/forms/submits";
import { percentFrom } from "./words";

interface WatchFormProps {
  planId: string;
  /** Current or last settings. */
  now: PlanWatch;
  onEnd?: () => void;
}

const EVERY: { value: Every; label: string }[] = [
  { value: "day", label: "Every day" },
  { value: "week", label: "Every week" },
  { value: "month", label: "Every month" },
];

/** Form for the interval of the checks, and the change of cost or time that triggers an alert. */
export function WatchForm({ planId, now, onEnd }: WatchFormProps) {
  const client = useQueryClient();
  const [every, setEvery] = useState<Every>(now.every ?? "week");
  const [text, setText] = useState(String(now.percent ?? 5));
  const percent = percentFrom(text);
  const watching = useMutation({
    mutationFn: (share: number) => watch(planId, { every, percent: share }),
    onSuccess: async (answer) => {
      client.setQueryData(planWatch(planId).queryKey, answer);
      onEnd?.();
      await client.invalidateQueries({ queryKey: [...planWatchesKey(), "list"] });
    },
  });
  const isOn = now.state === "on";
  return (
    <>
      <Box
        component="form"
        className="filters no-print"
        mt={8}
        aria-label="How to watch this plan"
        onSubmit={submits(() => percent !== null && watching.mutate(percent))}
      >
        <NativeSelect
          label="Check it"
          value={every}
          data={EVERY}
          onChange={(event) => setEvery(event.currentTarget.value as Every)}
        />
        <TextInput
          w={220}
          label="Tell of a change above"
          value={text}
          rightSection="%"
          inputMode="decimal"
          autoComplete="off"
          error={percent === null ? "A percentage is needed, such as 5." : remarkOn(watching.error, "percent")}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" size="compact-md" loading={watching.isPending} disabled={percent === null}>
          {isOn ? "Save" : "Watch this plan"}
        </Button>
        {isOn && (
          <Button size="compact-md" variant="subtle" onClick={onEnd}>
            Cancel
          </Button>
        )}
      </Box>
      <Refusal
        error={watching.error}
        fields={["percent"]}
        kept={isOn ? "It is watched as before." : "The plan is not watched."}
      />
    </>
  );
}
