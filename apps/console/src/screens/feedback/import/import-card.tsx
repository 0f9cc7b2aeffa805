/** Owns one import: choices, the dry run, its report, and the import itself. */
import { CircleCheck, FlaskConical, Play, Square, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { V1Import } from '../../../api/schema.ts';
import { useAct } from '../../../api/use-act.ts';
import { Badge, StateBadge } from '../../../ui/badge.tsx';
import { useAsking } from '../../../ui/asking.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Field } from '../../../ui/field.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { Select } from '../../../ui/select.tsx';
import { When } from '../../../ui/when.tsx';
import { refreshFeedback, useBoards } from '../shared/queries.ts';
import { removeImport, runImport } from './queries.ts';

const STATE_WORDS: Readonly<Record<V1Import['state'], string>> = {
  uploading: 'not complete',
  ready: 'ready to check',
  running: 'running',
  checked: 'checked',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
};

const NO_BOARD = 'none';

/** An import that is not over. */
export function ImportCard({ value }: { readonly value: V1Import }) {
  const boards = useBoards().data ?? [];
  const [board, setBoard] = useState(value.options.board ?? NO_BOARD);
  const [makesBoards, setMakesBoards] = useState(value.options.createBoards ?? false);
  const options = {
    ...(board !== NO_BOARD && { board }),
    ...(makesBoards && { createBoards: true }),
  };
  const run = useAct(async (isDryRun: boolean) => {
    await runImport(value.id, { ...options, isDryRun });
    await refreshFeedback();
  });
  const remove = useAct(() => removeImport(value.id));
  const asking = useAsking();
  const isRunning = value.state === 'running';
  const isChecked = value.state === 'checked' && value.report !== null;
  const isSameChoice =
    (value.options.board ?? NO_BOARD) === board && (value.options.createBoards ?? false) === makesBoards;
  const isArchive = value.report?.kind === 'archive';
  return (
    <Card
      title={<bdi>{value.fileName}</bdi>}
      description={`${sizeText(value.sizeBytes)}, sent by ${value.authorName ?? 'somebody'}`}
      actions={
        <>
          <StateBadge
            state={STATE_WORDS[value.state]}
            tone={value.state === 'checked' ? 'blue' : undefined}
          />
          <IconButton
            label={isRunning ? 'Stop the import' : 'Remove the import'}
            icon={isRunning ? <Square /> : <Trash2 />}
            isBusy={remove.isBusy}
            onClick={() =>
              asking.ask({
                title: isRunning ? 'Stop the import?' : 'Remove the import?',
                gone: [
                  <bdi key="file">{value.fileName}</bdi>,
                  isRunning
                    ? 'The rows that are not done yet; those that are done stay'
                    : 'What was found in it',
                ],
                confirmText: isRunning ? 'Stop it' : 'Remove it',
                keepText: isRunning ? 'Let it run' : 'Keep',
                onYes: () => remove.run(),
              })
            }
          />
          {asking.dialog}
        </>
      }
    >
      <div className="stack">
        {isRunning ? (
          <Progress
            done={value.rowsDone}
            total={value.rowsTotal}
            label={value.options.isDryRun === true ? 'Checking the rows' : 'Importing the rows'}
          />
        ) : value.state === 'uploading' ? (
          <p className="muted">The file has not come whole. Remove it and send it again.</p>
        ) : (
          <>
            {!isArchive && (
              <div className="import-choices">
                <Field label="Board of rows that name none">
                  <Select
                    value={board}
                    onChange={setBoard}
                    options={[
                      { value: NO_BOARD, label: 'None: such rows are faults' },
                      ...boards.map(({ slug, name }) => ({ value: slug, label: name })),
                    ]}
                  />
                </Field>
                <Checkbox
                  isChecked={makesBoards}
                  onChange={setMakesBoards}
                  hint="They are public, like any new board."
                >
                  Make boards that are not there yet
                </Checkbox>
              </div>
            )}
            {value.fault !== null && (
              <p className="import-fault" role="alert">
                <TriangleAlert aria-hidden /> {value.fault}
              </p>
            )}
            {value.report && <ReportView report={value.report} />}
            <div className="row-wrap">
              {isChecked && isSameChoice && (
                <Button
                  kind="primary"
                  icon={<Play />}
                  isBusy={run.isBusy}
                  disabled={value.report?.imported === 0}
                  onClick={() => run.run(false)}
                >
                  {`Import ${(value.report?.imported ?? 0).toLocaleString('en')} ${unitOf(value.report)}`}
                </Button>
              )}
              <Button
                kind={isChecked && isSameChoice ? 'plain' : 'primary'}
                icon={<FlaskConical />}
                isBusy={run.isBusy}
                onClick={() => run.run(true)}
              >
                {value.report === null ? 'Check the file' : 'Check again'}
              </Button>
              <span className="small muted">A check writes nothing.</span>
            </div>
          </>
        )}
      </div>
    </Card>
  );
}

function unitOf(report: V1Import['report']): string {
  return report?.kind === 'archive' ? 'lines' : 'rows';
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(0)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

const SHOWN_FAULTS = 20;

/** What a run found. */
export function ReportView({ report }: { readonly report: NonNullable<V1Import['report']> }) {
  const [isWhole, setWhole] = useState(false);
  const { rows, imported, skipped, failed, faults, isDryRun } = report;
  const number = (count: number) => count.toLocaleString('en');
  const unit = unitOf(report);
  const shown = isWhole ? faults : faults.slice(0, SHOWN_FAULTS);
  return (
    <section className="report" aria-label="Report">
      <dl className="report-sums">
        <Sum label={`${unit} in the file`} value={number(rows)} />
        <Sum label={isDryRun ? 'can be imported' : 'imported'} value={number(imported)} tone="green" />
        {skipped > 0 && <Sum label="were imported before" value={number(skipped)} />}
        <Sum label="with faults" value={number(failed)} tone={failed > 0 ? 'red' : undefined} />
      </dl>
      <Names title={isDryRun ? 'Boards that will be made' : 'New boards'} names={report.newBoards} />
      <Names title={isDryRun ? 'Tags that will be made' : 'New tags'} names={report.newTags} />
      <Names title="Columns that are ignored" names={report.ignoredColumns} />
      {faults.length > 0 && (
        <div className="stack">
          <h3>What is wrong</h3>
          <ul className="report-faults">
            {shown.map(({ row, message }, index) => (
              <li key={index}>
                <span className="number muted">row {number(row)}</span> <bdi>{message}</bdi>
              </li>
            ))}
          </ul>
          {faults.length > shown.length && (
            <Button size="s" onClick={() => setWhole(true)}>
              Show {faults.length - shown.length} more
            </Button>
          )}
          {isDryRun && imported > 0 && (
            <p className="small muted">
              The good rows can be imported all the same; mend the others and send them again.
            </p>
          )}
        </div>
      )}
    </section>
  );
}

function Sum({
  label,
  value,
  tone,
}: {
  readonly label: string;
  readonly value: string;
  readonly tone?: 'green' | 'red';
}) {
  return (
    <div className={tone ? `report-${tone}` : undefined}>
      <dd className="number">{value}</dd>
      <dt>{label}</dt>
    </div>
  );
}

const MOST_NAMES = 30;

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div className="row-wrap">
      <span className="small muted">{title}:</span>
      {names.slice(0, MOST_NAMES).map((name) => (
        <Badge key={name}>
          <bdi>{name}</bdi>
        </Badge>
      ))}
      {names.length > MOST_NAMES && <span className="small muted">and {names.length - MOST_NAMES} more</span>}
    </div>
  );
}

/** An import that is over. */
export function ImportLine({ value }: { readonly value: V1Import }) {
  const [isOpen, setOpen] = useState(false);
  const remove = useAct(() => removeImport(value.id));
  const asking = useAsking();
  const { report } = value;
  return (
    <li className="import-line">
      <div className="row">
        <CircleCheck className={value.state === 'done' ? 'import-done' : 'faint'} aria-hidden />
        <bdi className="truncate grow">{value.fileName}</bdi>
        <span className="small muted">
          {report
            ? `${report.imported.toLocaleString('en')} ${unitOf(report)} imported`
            : STATE_WORDS[value.state]}
          {report && report.failed > 0 && `, ${report.failed.toLocaleString('en')} failed`}
        </span>
        <span className="small faint">
          <When at={value.updatedAt} />
        </span>
        {report && (
          <Button size="s" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Report
          </Button>
        )}
        <IconButton
          size="s"
          label={`Forget the import of ${value.fileName}`}
          icon={<Trash2 />}
          isBusy={remove.isBusy}
          onClick={() =>
            asking.ask({
              title: 'Forget the import?',
              gone: [<bdi key="file">{value.fileName}</bdi>, 'Its report; what it imported stays'],
              confirmText: 'Forget it',
              onYes: () => remove.run(),
            })
          }
        />
        {asking.dialog}
      </div>
      {isOpen && report && <ReportView report={report} />}
    </li>
  );
}
