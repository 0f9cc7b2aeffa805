/** Owns the diff that an agent proposes: its lines by colour and sign, and the answer to it. */
import { useAct } from '../../api/use-act.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { answerDiff } from './queries.ts';
import type { Annotation } from '../../api/schema.ts';

const MOST_LINES = 2_000;

export function ProposedDiff({
  note,
  onAnswered,
}: {
  readonly note: Annotation;
  readonly onAnswered: () => void;
}) {
  const { id, diff = '', diffRevision = 0, diffResponse, status } = note;
  const answer = useAct((response: 'approved' | 'rejected') => answerDiff(id, response, diffRevision), {
    onDone: onAnswered,
  });
  const lines = diff.split('\n');
  return (
    <section className="stack" aria-label="Proposed diff">
      <div className="row">
        <h3 className="annotations-part grow">Proposed diff</h3>
        {diffResponse !== undefined && <StateBadge state={diffResponse} />}
        <CopyButton text={diff} />
      </div>
      <pre className="annotations-diff" tabIndex={0}>
        {lines.slice(0, MOST_LINES).map((line, index) => (
          <span key={index} className={toneOf(line)}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
      {lines.length > MOST_LINES && (
        <p className="muted">{lines.length - MOST_LINES} more lines: copy it to see them.</p>
      )}
      {status === 'diff_proposed' && diffResponse === undefined && (
        <div className="row-wrap">
          <Button kind="primary" isBusy={answer.isBusy} onClick={() => answer.run('approved')}>
            Approve
          </Button>
          <Button isBusy={answer.isBusy} onClick={() => answer.run('rejected')}>
            Reject
          </Button>
        </div>
      )}
    </section>
  );
}

function toneOf(line: string): string | undefined {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('@@'))
    return 'annotations-diff-head';
  if (line.startsWith('+')) return 'annotations-diff-new';
  return line.startsWith('-') ? 'annotations-diff-old' : undefined;
}
