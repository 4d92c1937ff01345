import { useParams } from "@tanstack/react-router";
import { SharedPlan } from "@/features/plan/saved/SharedPlan";
import { SharedReport } from "@/features/reports/viewer/SharedReport";
import { SharedPage } from "@/features/shared/SharedPage";
import { SharedSweep } from "@/features/sweeps/SharedSweep";
import { baseWords } from "@/routes/sweeps/SweepRoute";
import { Rated } from "@/ui/values/InCurrency";

/** Render the content of a share link, without links to other pages. */
export function SharedRoute() {
  const { secret } = useParams({ from: "/s/$secret" });
  return (
    <SharedPage
      key={secret}
      secret={secret}
      plan={(plan) => (
        <Rated currency={plan.currency}>
          <SharedPlan plan={plan} secret={secret} />
        </Rated>
      )}
      sweep={(sweep) => <SharedSweep sweep={sweep} baseWords={baseWords(sweep)} />}
      report={(report, until, again) => <SharedReport secret={secret} shared={report} until={until} onAgain={again} />}
      missing={
        <section className="card">
          <h1 style={{ margin: "0 0 8px", fontSize: "var(--mantine-font-size-xl)" }}>Not found</h1>
          <p style={{ marginBottom: 0 }}>
            This link shows nothing, or nothing any more. The person who gave it to you can make another.
          </p>
        </section>
      }
    />
  );
}
