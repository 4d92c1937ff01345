import { Stack } from "@mantine/core";
import { useState } from "react";
import type { SweepAnswer } from "@/api/generated";
import { counted } from "@/lib/wording";
import { Notice } from "@/ui/feedback/Notice";
import { Picture, SweepFacts } from "./SweepPage";
import type { SweepSearch } from "./search";
import { Winners } from "./Winners";

interface SharedSweepProps {
  sweep: SweepAnswer;
  /** Workload common to all cells, one fact per item. */
  baseWords: string[];
}

/** Sweep behind a share link. */
export function SharedSweep({ sweep, baseWords }: SharedSweepProps) {
  // The view is not in the URL, which contains the secret of the link.
  const [search, setSearch] = useState<SweepSearch>({});
  const { job, cells } = sweep;
  return (
    <Stack>
      <div>
        <SweepFacts sweep={sweep} baseWords={baseWords} />
      </div>
      {cells.length < job.total && (
        <Notice tone="warn">
          The sweep is partial: {counted(cells.length, "cell")} of {job.total} were computed when this was read.
        </Notice>
      )}
      <Picture sweep={sweep} job={job} search={search} onSearch={setSearch} openAsPlan={() => null} />
      <Winners sweep={sweep} />
    </Stack>
  );
}
