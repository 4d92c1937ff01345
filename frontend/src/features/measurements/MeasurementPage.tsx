import { Button, Group, Radio, Stack, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { sayVerdict } from "@/api/generated";
import {
  type Measurement,
  measurement as measurementQuery,
  measurementsKey,
  type Verdict,
} from "@/api/measurements/measurements";
import { profilesKey } from "@/api/measurements/profiles";
import { originalAddress } from "@/api/measurements/uploads";
import { useMay } from "@/api/teams/session";
import { measuredWords } from "@/lib/measured";
import { useUnits } from "@/lib/units";
import { duration, moment } from "@/lib/wording";
import { Card } from "@/ui/Card";
import { ObjectPage } from "@/ui/feedback/ObjectPage";
import { Refusal } from "@/ui/feedback/Refusal";
import form from "@/ui/forms/Form.module.css";
import { submits } from "@/ui/forms/submits";
import { backToMeasurements, linkToProfile } from "@/ui/links/objects";
import { Sentence } from "@/ui/Sentence";
import classes from "./Measurements.module.css";
import { MetricsTable } from "./MetricsTable";
import { headline } from "./review/review";
import { SeriesFrame } from "./SeriesFrame";
import { resourceOf, seriesName } from "./series";
import { AgainstPublished, MeasureAgain, Reasons, VerdictMark } from "./VerdictMark";

/** One measurement with figures, verdicts and origin. */
export function MeasurementPage({ id }: { id: string }) {
  useUnits();
  return (
    <ObjectPage
      query={useQuery(measurementQuery(id))}
      title="Measurement"
      nameOf={({ name }) => name}
      kind="measurement"
      className="page small-labels"
      kept="The measurement is kept."
      heights={[320]}
    >
      {(measurement) => <Loaded measurement={measurement} />}
    </ObjectPage>
  );
}

function Loaded({ measurement }: { measurement: Measurement }) {
  const { name, tool, tool_version, target_words, measured_at, duration_s, person, source, created_at } = measurement;
  const facts = [
    tool_version ?? tool,
    target_words,
    measured_at ? `measured ${moment(measured_at)}` : "the file does not say when",
    ...(duration_s === null ? [] : [`over ${duration(duration_s)}`]),
    `kept ${moment(created_at)} by ${person}`,
    ...(source === null ? [] : [source]),
  ];
  const figures = headline(measurement.metrics);
  return (
    <div className="page small-labels">
      <section className="card" aria-label="In a sentence">
        <h1 className="title wraps">{name}</h1>
        <Sentence as="p" facts={facts}>
          {figures.map(({ name: metric, value, unit, what }) => (
            <span key={metric} className={classes.headFigure}>
              <span title={`${value} ${unit}`}>{measuredWords(metric, value, unit)}</span>{" "}
              <span className={classes.headWhat}>{what}</span>
            </span>
          ))}
        </Sentence>
        <Group gap="xs" mt="sm" className="no-print">
          <Button
            variant="default"
            size="compact-sm"
            component="a"
            href={originalAddress(measurement.upload_id)}
            download
          >
            Original file
          </Button>
          {backToMeasurements("list", "All measurements")}
        </Group>
        {measurement.profiles.length > 0 && (
          <p className={classes.waiting}>
            {measurement.profiles.map((key, index, { length }) => (
              <span key={key}>
                {linkToProfile(
                  key,
                  `The figure that it is part of${length > 1 ? ` (${index + 1} of ${length})` : ""}`,
                )}{" "}
              </span>
            ))}
          </p>
        )}
      </section>
      <Judged measurement={measurement} />
      <Course measurement={measurement} />
      <Card id="all" title="Every figure">
        <MetricsTable metrics={measurement.metrics} settings={measurement.settings} notes={measurement.notes} />
      </Card>
    </div>
  );
}

/** Verdict of the service and of people, with the action to change it. */
function Judged({ measurement }: { measurement: Measurement }) {
  const { verdict, judgement, verdicts } = measurement;
  const { reasons } = judgement;
  const mayWrite = useMay("measurements.write");
  const [open, setOpen] = useState(false);
  return (
    <section className="card" aria-labelledby="judged">
      <div className="spread">
        <h2 id="judged" className="title">
          <VerdictMark verdict={verdict} />
        </h2>
        {mayWrite && !open && (
          <Button variant="default" size="compact-sm" className="no-print" onClick={() => setOpen(true)}>
            Judge it otherwise
          </Button>
        )}
      </div>
      <AgainstPublished reasons={reasons} />
      <Reasons reasons={reasons} />
      <MeasureAgain reasons={reasons} instance={measurement.target.instance} />
      {reasons.every((reason) => reason.verdict === "good") && (
        <p className="lead">Nothing in it contradicts what was bought, or itself.</p>
      )}
      {verdicts.length > 0 && (
        <ul className="bare ruled between rows" aria-label="Verdicts of people">
          {verdicts.map((given) => (
            <li key={given.created_at}>
              <div>
                <VerdictMark verdict={given.verdict} /> says {given.person}, {moment(given.created_at)}: {given.reason}
              </div>
            </li>
          ))}
        </ul>
      )}
      {open && <Otherwise measurement={measurement} onEnd={() => setOpen(false)} />}
    </section>
  );
}

const CHOICES: readonly (readonly [Verdict, string])[] = [
  ["good", "Good: it counts fully"],
  ["doubtful", "Doubtful: it counts less"],
  ["rejected", "Rejected: it counts for nothing"],
];

function Otherwise({ measurement, onEnd }: { measurement: Measurement; onEnd: () => void }) {
  const client = useQueryClient();
  const [verdict, setVerdict] = useState<Verdict>(measurement.verdict === "rejected" ? "good" : "rejected");
  const [reason, setReason] = useState("");
  const giving = useMutation({
    mutationFn: () =>
      sayVerdict({ path: { measurement_id: measurement.id }, body: { verdict, reason: reason.trim() } }),
    onSuccess: async () => {
      onEnd();
      await Promise.all([measurementsKey(), profilesKey()].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  return (
    <form className={`${form.fields} no-print`} onSubmit={submits(() => giving.mutate(), reason.trim() !== "")}>
      <Radio.Group label="Verdict" value={verdict} onChange={(value) => setVerdict(value as Verdict)}>
        <Stack gap={6} mt={4}>
          {CHOICES.map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      <TextInput
        label="Why"
        description="It is kept with your name."
        required
        maxLength={500}
        className={form.wide}
        value={reason}
        autoComplete="off"
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <div className={form.actions}>
        <Button type="submit" size="compact-sm" loading={giving.isPending} disabled={reason.trim() === ""}>
          Save the verdict
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={onEnd}>
          Cancel
        </Button>
      </div>
      <Refusal error={giving.error} kept="The verdict is as it was." />
    </form>
  );
}

/** Time series of a monitoring tool. */
function Course({ measurement: { series, name } }: { measurement: Measurement }) {
  if (series.length === 0) return null;
  return (
    <SeriesFrame
      title="Over time"
      file={name}
      caption="Each over its own scale, from 0 to the figure at its right."
      label={`${series.length} series over time`}
      phases={[]}
      series={series}
      nameOf={(one) => seriesName(one.name, one.of)}
      kindOf={(one) => resourceOf(one.name)}
    />
  );
}
