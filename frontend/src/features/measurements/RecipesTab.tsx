import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Recipe, recipes as recipesQuery } from "@/api/measurements/profiles";
import { useAheadText } from "@/lib/useAhead";
import { duration, usd } from "@/lib/wording";
import { CopyText } from "@/ui/CopyText";
import { Notice } from "@/ui/feedback/Notice";
import { Refusal } from "@/ui/feedback/Refusal";
import { fieldsOf } from "@/ui/forms/fields";
import { Scroller } from "@/ui/table/Scroller";
import classes from "./Measurements.module.css";

interface RecipesTabProps {
  instance: string;
  region: string;
  onChange: (change: { instance?: string; region?: string }) => void;
}

/** For each tool the command of a reliable measurement, with its duration and cost. */
export function RecipesTab({ instance, region, onChange }: RecipesTabProps) {
  const [type, setType] = useAheadText(instance, (next) => onChange({ instance: next }));
  const [place, setPlace] = useAheadText(region, (next) => onChange({ region: next }));
  const query = useQuery(recipesQuery(instance.trim(), region.trim()));
  const { text } = fieldsOf({
    values: { instance: type, region: place },
    errors: {},
    onChange: (field, value) => (field === "instance" ? setType(value) : setPlace(value)),
    size: "xs",
  });
  return (
    <>
      <div className="filters no-print">
        {text("instance", "Instance type", "i3.8xlarge")}
        {text("region", "Region", "us-east-1")}
      </div>
      {instance.trim() === "" && (
        <p className="line dim">
          These commands are for one disk. Enter the instance type that you measure: they then name all of its disks,
          and state the cost.
        </p>
      )}
      <Refusal error={query.error} kept="The commands of another type can still be read." />
      {query.isPending && <Skeleton height={200} role="status" aria-label="Reading the commands" />}
      <ul className={`bare ruled ${classes.recipes}`} aria-label="Commands">
        {query.data?.recipes.map((recipe) => (
          <RecipeCard key={`${recipe.tool} ${recipe.title}`} recipe={recipe} />
        ))}
      </ul>
    </>
  );
}

function RecipeCard({ recipe: { tool, title, command, duration_s, cost_usd, what, overwrites } }: { recipe: Recipe }) {
  return (
    <li>
      <div className="spread">
        <h2 className="title">{title}</h2>
        <span className="dim small">
          {tool} · {duration(duration_s)}
          {cost_usd === null ? "" : ` · ${usd(cost_usd)}`}
        </span>
      </div>
      <p className="lead">{what}</p>
      {overwrites !== null && (
        <Notice tone="warn" title="This command destroys data. ">
          It overwrites {overwrites}.
        </Notice>
      )}
      <Scroller className="command" style={{ marginBottom: 8 }} aria-label={`Command: ${title}`}>
        <pre>{command}</pre>
      </Scroller>
      <CopyText label="Copy command" done="The command is copied." text={() => command} />
    </li>
  );
}
