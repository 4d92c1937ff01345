import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type Choice, DEFAULTS, documentFrom, FIELDS, searchOf } from "@/features/plan/choice";
import { NewSweepPage } from "@/features/sweeps/NewSweepPage";
import { axesSearchFrom } from "@/features/sweeps/question";
import { choiceOf } from "./newSweepSearch";

export function NewSweepRoute() {
  const search = useSearch({ from: "/sweeps/new" });
  const navigate = useNavigate({ from: "/sweeps/new" });
  const choice = choiceOf(search);
  return (
    <NewSweepPage
      base={documentFrom(choice)}
      baseWords={wordsOf(choice)}
      search={axesSearchFrom(search)}
      onSearch={(axes) =>
        void navigate({ search: { ...searchOf(choice), ...axes }, replace: true, resetScroll: false })
      }
      onStarted={(sweepId) => void navigate({ to: "/sweeps/$sweepId", params: { sweepId }, search: {} })}
      changeBase={
        <Link to="/" search={searchOf(choice)}>
          Change the workload
        </Link>
      }
    />
  );
}

const NAMES: Partial<Record<keyof Choice, string>> = {
  deadline: "deadline",
  budget: "budget",
  nodes: "nodes up to",
  runs: "runs a month",
  group: "placement group",
  map: "map output",
  reduce: "reduce output",
};

/** The workload in words: what is always asked, then what is not as usual. */
function wordsOf(choice: Choice): string[] {
  const said: (keyof Choice)[] = ["data", "job", "durability", "replicas", "region"];
  const rest = FIELDS.filter((field) => !said.includes(field) && choice[field] !== DEFAULTS[field]);
  const kept = { none: "one copy", application: `${choice.replicas} copies`, infrastructure: "kept on EBS" };
  return [
    `${choice.data}, ${choice.job}`,
    kept[choice.durability as keyof typeof kept] ?? choice.durability,
    choice.region,
    ...rest.map((field) => `${NAMES[field] ?? field} ${choice[field]}`),
  ];
}
