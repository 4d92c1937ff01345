import type { Run } from "@/api/runs/runs";
import classes from "@/features/runs/Runs.module.css";
import { counted } from "@/lib/wording";
import { CopyText } from "@/ui/CopyText";
import { sentence } from "@/ui/feedback/Refusal";

/** Nodes that are slower than the others and should be replaced. */
export function Screened({ run: { screening } }: { run: Run }) {
  if (screening === null) return null;
  const { drop, words } = screening;
  const ids = drop.map(({ instance_id }) => instance_id).filter((id) => id !== null);
  return (
    <section className="card" aria-labelledby="screened">
      <div className="spread">
        <h2 id="screened" className="title">
          {drop.length === 0 ? "No node is to be given back" : `${counted(drop.length, "node")} to give back`}
        </h2>
        {ids.length > 0 && (
          <CopyText label="Copy the instance ids" done="The ids are copied." text={() => ids.join("\n")} />
        )}
      </div>
      <p className="line">{sentence(words)}</p>
      {drop.length > 0 && (
        <ul className={`bare lines ${classes.plainList}`}>
          {drop.map(({ node, instance_id, reasons }) => (
            <li key={node}>
              <strong>Node {node}</strong>
              {instance_id !== null && (
                <>
                  {" "}
                  <code>{instance_id}</code>
                </>
              )}
              : {reasons.join("; ")}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
