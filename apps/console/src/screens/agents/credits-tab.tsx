/** Owns the credits of an agent: what it has, what went through its account, what things cost, and giving more. */
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { AgentCredits } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/detail-pane.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';

type Movement = AgentCredits['movements'][number];

const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' });
/** A message is named by its id, which says nothing to people. */
const reasonText = (reason: string) =>
  reason.startsWith('msg_') ? 'a message' : reason.replaceAll('_', ' ');
const keyOf = ({ id }: Movement) => id;
const columns: Column<Movement>[] = [
  {
    id: 'type',
    header: 'What',
    cell: ({ type }) => type.replaceAll('_', ' '),
    width: 'minmax(96px, 1fr)',
  },
  {
    id: 'amount',
    header: 'Credits',
    cell: ({ amount }) => <span className="number">{signed.format(amount)}</span>,
    width: '80px',
    align: 'end',
  },
  {
    id: 'reason',
    header: 'For',
    cell: ({ reason }) => (
      <span className="truncate muted" title={reason}>
        {reasonText(reason)}
      </span>
    ),
    width: 'minmax(100px, 2fr)',
    isWideOnly: true,
  },
  { id: 'at', header: 'When', cell: ({ at }) => <When at={at} />, width: '104px', align: 'end' },
];

export function CreditsTab({ id }: { readonly id: string }) {
  const [isGiving, setGiving] = useState(false);
  const query = useQuery({
    queryKey: ['agents', 'credits', id],
    queryFn: ({ signal }) => request('GET /api/agents/{id}/credits', { path: { id }, signal }),
  });
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { available, reserved, low, config, movements, ...account } = query.data;
  return (
    <div className="stack agents-part">
      <div className="agents-line">
        <div className="grow row-wrap">
          <span className="agents-figure number">{available}</span>
          <span className="muted">credits available</span>
          {low && <Badge tone="amber">low</Badge>}
        </div>
        <Button icon={<Plus />} onClick={() => setGiving(true)}>
          Give credits
        </Button>
      </div>
      <Facts
        facts={[
          [
            'Set aside',
            <span key="aside" className="number">
              {reserved}
            </span>,
          ],
          [
            'Ever got',
            <span key="got" className="number">
              {account.lifetime_bought}
            </span>,
          ],
          [
            'Ever used',
            <span key="used" className="number">
              {account.lifetime_used}
            </span>,
          ],
          [
            'A message costs',
            <span key="message" className="number">
              {config.credits_per_agent_message}
            </span>,
          ],
          [
            'A turn costs',
            <span key="turn" className="number">
              {config.credits_per_turn}
            </span>,
          ],
          [
            'Low below',
            <span key="low" className="number">
              {config.low_credit_threshold}
            </span>,
          ],
          [
            'Without credits',
            config.enforce ? 'what it cannot pay is refused' : 'it goes on and pays what it has',
          ],
        ]}
      />
      <h3>Movements</h3>
      <DataTable label="Movements" rows={movements} columns={columns} keyOf={keyOf} isInline />
      {isGiving && <GiveCredits id={id} onClose={() => setGiving(false)} />}
    </div>
  );
}

function GiveCredits({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [amount, setAmount] = useState('100');
  const [reason, setReason] = useState('');
  const give = useAct(
    () =>
      request('POST /api/agents/{id}/credits', {
        path: { id },
        body: { amount: Number(amount), ...(reason.trim() !== '' && { reason: reason.trim() }) },
      }),
    {
      isQuiet: true,
      onDone() {
        makeOld('agents');
        onClose();
      },
    },
  );
  const isReady = Number.isInteger(Number(amount)) && Number(amount) > 0;
  return (
    <Dialog
      isOpen
      size="s"
      onClose={onClose}
      onSubmit={() => isReady && give.run()}
      title="Give credits"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={give.isBusy} disabled={!isReady}>
            Give
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Credits" isRequired error={give.error?.message}>
          <Input type="number" min={1} max={1_000_000} value={amount} onText={setAmount} />
        </Field>
        <Field label="For what">
          <Input value={reason} onText={setReason} maxLength={200} />
        </Field>
      </div>
    </Dialog>
  );
}
