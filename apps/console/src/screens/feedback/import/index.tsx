/** Owns the screen: import with a dry run and its report, and export. */
import { Download, FileUp, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { Page } from '../../../ui/page.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { useIsAdministrator } from '../shared/queries.ts';
import { ImportCard, ImportLine } from './import-card.tsx';
import './import.css';
import { MOST_BYTES, upload, useImports } from './queries.ts';

const FORMS = '.csv,.json,.jsonl,.ndjson';

/** The screen. */
export function Screen() {
  const isAdministrator = useIsAdministrator();
  if (!isAdministrator)
    return (
      <EmptyState icon={<Upload />} title="For administrators">
        Imports and exports hold e-mail addresses, so only administrators may make them.
      </EmptyState>
    );
  return (
    <Page
      title="Import and export"
      description="Bring posts from where they are today, and take everything with you."
    >
      <Imports />
      <Exports />
    </Page>
  );
}

function Imports() {
  const imports = useImports();
  const all = imports.data ?? [];
  const open = all.filter(({ state }) => state !== 'done' && state !== 'stopped');
  const over = all.filter(({ state }) => state === 'done' || state === 'stopped');
  return (
    <>
      <DropFile />
      {imports.isPending ? (
        <Skeleton kind="card" rows={1} />
      ) : imports.error && !imports.data ? (
        <ErrorState error={imports.error} onRetry={() => imports.refetch()} />
      ) : (
        <>
          {open.map((one) => (
            <ImportCard key={one.id} value={one} />
          ))}
          {over.length > 0 && (
            <Card title="Earlier imports" isFlush>
              <ul>
                {over.map((one) => (
                  <ImportLine key={one.id} value={one} />
                ))}
              </ul>
            </Card>
          )}
        </>
      )}
    </>
  );
}

function DropFile() {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [sent, setSent] = useState<{
    readonly name: string;
    readonly done: number;
    readonly total: number;
  }>();
  const send = useAct(
    async (file: File) => {
      if (file.size > MOST_BYTES)
        throw new Error(
          `${file.name} is larger than 32 MiB. Import it on the server: parley feedback import ${file.name}`,
        );
      if (file.size === 0) throw new Error(`${file.name} is empty.`);
      setSent({ name: file.name, done: 0, total: file.size });
      await upload(file, (done) => setSent({ name: file.name, done, total: file.size }));
    },
    { onDone: () => setSent(undefined) },
  );
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file) send.run(file);
  };
  return (
    <Card
      title="Import"
      description="CSV, a JSON list, JSON Lines, an export of Canny, or an archive of this server."
    >
      <div
        className={classes('drop', isOver && 'drop-over')}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files);
        }}
      >
        <FileUp aria-hidden />
        {send.isBusy && sent ? (
          <div className="drop-progress">
            <p className="truncate">Sending {sent.name}</p>
            <Progress done={sent.done} total={sent.total} label={`Sending ${sent.name}`} />
          </div>
        ) : (
          <>
            <p>Drop a file here, or</p>
            <Button kind="primary" onClick={() => input.current?.click()}>
              Choose a file
            </Button>
            <p className="small muted">
              Columns: title, content, board, status, tags, author name and e-mail, votes, created. Nothing is
              written before you have seen the report.
            </p>
          </>
        )}
        <input
          ref={input}
          type="file"
          className="visually-hidden"
          tabIndex={-1}
          aria-label="Choose a file to import"
          accept={FORMS}
          onChange={(event) => {
            take(event.target.files);
            event.target.value = '';
          }}
        />
      </div>
    </Card>
  );
}

function Exports() {
  return (
    <Card title="Export" description="The files hold e-mail addresses: keep them safe.">
      <div className="exports">
        <div className="grow">
          <h3>Posts as CSV</h3>
          <p className="small muted">
            The listed posts with their votes, for a spreadsheet; can be imported again.
          </p>
        </div>
        <a className="button button-plain button-m" href="/api/v1/export?form=csv" download>
          <Download aria-hidden />
          <span className="button-text">Download CSV</span>
        </a>
        <div className="grow">
          <h3>Everything</h3>
          <p className="small muted">
            Boards, posts, comments, votes, people, roadmaps and changelog as JSON Lines; goes into an empty
            organization with ids, times and authors as they were.
          </p>
        </div>
        <a className="button button-plain button-m" href="/api/v1/export?form=archive" download>
          <Download aria-hidden />
          <span className="button-text">Download archive</span>
        </a>
      </div>
    </Card>
  );
}
