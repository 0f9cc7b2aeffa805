/** Owns one tool of a connection: what it says now, what somebody agreed to, and the difference field by field. */
import { CircleCheck } from 'lucide-react';
import { Badge, EffectBadge, StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/detail-pane.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { When } from '../../ui/when.tsx';
import { effectOf, tokensOf } from './effect-of.ts';
import type { Definition } from './types.ts';

/** Why a definition waits. */
export const REASONS: Readonly<Record<NonNullable<Definition['reason']>, string>> = {
  new: 'new',
  changed: 'changed',
  probable_rename: 'looks renamed',
  hidden_text: 'hidden characters',
};

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export function ToolDialog({
  definition: pin,
  canApprove,
  isBusy,
  onApprove,
  onClose,
}: {
  readonly definition: Definition;
  readonly canApprove: boolean;
  readonly isBusy: boolean;
  readonly onApprove: () => void;
  readonly onClose: () => void;
}) {
  const { definition, diff, approved, renamedFrom, reason } = pin;
  const hints = HINTS.filter((hint) => typeof definition.annotations?.[hint] === 'boolean');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="l"
      title={<span className="mono connections-isolated">{pin.tool}</span>}
      description={definition.title}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {canApprove && (
            <Button kind="primary" icon={<CircleCheck />} isBusy={isBusy} onClick={onApprove}>
              Approve this definition
            </Button>
          )}
        </>
      }
    >
      <div className="stack-l">
        <div className="row-wrap">
          <StateBadge state={pin.state} />
          {reason !== null && <Badge tone="amber">{REASONS[reason]}</Badge>}
          <EffectBadge effect={effectOf(definition.annotations)} />
          {hints.map((hint) => (
            <Badge key={hint} title="As its server says, which nobody has checked">
              {hint} {String(definition.annotations?.[hint])}
            </Badge>
          ))}
        </div>
        {diff.length > 0 && <Diff diff={diff} from={renamedFrom} />}
        <section className="stack">
          <h3>What it says of itself</h3>
          <p className="connections-text">
            {definition.description ?? <span className="faint">nothing</span>}
          </p>
        </section>
        <section className="stack">
          <h3>Arguments</h3>
          <JsonView value={definition.inputSchema} openDepth={3} />
        </section>
        {definition.outputSchema !== undefined && (
          <section className="stack">
            <h3>Result</h3>
            <JsonView value={definition.outputSchema} />
          </section>
        )}
        <Facts
          facts={[
            ['Tokens', `about ${tokensOf(definition).toLocaleString('en')}`],
            [
              'Approved',
              approved?.at === undefined || approved.at === null ? (
                'never'
              ) : (
                <When key="at" at={approved.at} />
              ),
            ],
            [
              'Hash',
              <code key="hash" className="connections-place">
                {pin.hash}
              </code>,
            ],
          ]}
        />
      </div>
    </Dialog>
  );
}

function Diff({ diff, from }: { readonly diff: Definition['diff']; readonly from: string | null }) {
  return (
    <section className="stack">
      <h3>
        {from === null ? 'Different from what was approved' : `Different from “${from}”, which went away`}
      </h3>
      <ul className="diff">
        {diff.map(({ field, before, after }) => (
          <li key={field} className="diff-field">
            <div className="diff-name mono">{field}</div>
            {before !== null && (
              <del className="diff-before">
                <span className="visually-hidden">before: </span>
                {before}
              </del>
            )}
            {after !== null && (
              <ins className="diff-after">
                <span className="visually-hidden">now: </span>
                {after}
              </ins>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
