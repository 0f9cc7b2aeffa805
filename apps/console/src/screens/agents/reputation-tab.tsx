/** Owns what an agent is known for: its score and where that comes from, people's ratings, what it attested. */
import { useQuery } from '@tanstack/react-query';
import { ShieldCheck, Star } from 'lucide-react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { AgentReputation } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Progress } from '../../ui/progress.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';
import { ChainNotice, checkChain } from './chain-notice.tsx';

const PARTS = [
  ['task', 'Work that was completed', 30],
  ['peer', 'What people think', 25],
  ['security', 'No violations', 20],
  ['credit', 'Debits that were paid', 15],
  ['activity', 'Sessions of late', 10],
] as const;
const LEVEL_TONES: Readonly<Record<string, Tone>> = {
  verified: 'green',
  high: 'green',
  medium: 'blue',
  low: 'amber',
  untrusted: 'red',
};
const RATINGS = [1, 2, 3, 4, 5] as const;

export function ReputationTab({ id }: { readonly id: string }) {
  const path = { id };
  const query = useQuery({
    queryKey: ['agents', 'reputation', id],
    queryFn: ({ signal }) => request('GET /api/agents/{id}/reputation', { path, signal }),
  });
  const chain = useQuery({ queryKey: ['memory', 'chain', id], queryFn: () => checkChain(id) });
  const attest = useAct(() => request('POST /api/agents/{id}/attestations', { path }), {
    onDone({ counted }) {
      makeOld('agents', 'memory');
      toast({
        text: counted ? 'It is signed, and counts for this day.' : 'It is signed; this day counted already.',
      });
    },
  });
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { overall, trust_level: level, components, events, computed_at: at } = query.data;
  return (
    <div className="stack agents-part">
      <div className="agents-line">
        <div className="grow row-wrap">
          <span className="agents-figure number">{overall}</span>
          <span className="muted">of 100</span>
          <Badge tone={LEVEL_TONES[level] ?? 'neutral'}>{level}</Badge>
          <span className="small faint">
            computed <When at={at} />
          </span>
        </div>
        <Button icon={<ShieldCheck />} isBusy={attest.isBusy} onClick={() => attest.run()}>
          Attest it now
        </Button>
      </div>
      <dl className="agents-parts">
        {PARTS.map(([part, words, share]) => (
          <div key={part}>
            <dt>
              {words} <span className="small faint">{share} %</span>
            </dt>
            <dd>
              <Progress done={components[part] ?? 0} total={100} label={words} />
              <span className="number">{Math.round(components[part] ?? 0)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Rating id={id} standing={query.data} />
      <h3>Attestations</h3>
      {chain.isPending && <Skeleton rows={2} />}
      {chain.error !== null && <ErrorState error={chain.error} onRetry={() => chain.refetch()} />}
      {chain.data && (
        <>
          <ChainNotice check={chain.data} />
          <p className="muted">
            {chain.data.days} {chain.data.days === 1 ? 'day' : 'days'} attested, worth the level{' '}
            <Badge tone={LEVEL_TONES[chain.data.level] ?? 'neutral'}>{chain.data.level}</Badge>
          </p>
          <ul className="agents-list">
            {chain.data.attestations.map((attestation) => (
              <li key={attestation.hash}>
                <span className="row-wrap">
                  <strong className="number">{attestation.overall}</strong>
                  <Badge tone={attestation.valid ? 'green' : 'red'}>
                    signature {attestation.valid ? 'valid' : 'invalid'}
                  </Badge>
                  <span className="faint">
                    <When at={attestation.computed_at} />
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {events.length > 0 && (
        <>
          <h3>What counted against it</h3>
          <ul className="agents-list">
            {events.map((event, index) => (
              <li key={index}>
                <span className="row-wrap">
                  <Badge tone="amber">{event.kind.replaceAll('_', ' ')}</Badge>
                  <span className="agents-text">{event.detail}</span>
                  <span className="faint">
                    <When at={event.at} />
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Rating({ id, standing }: { readonly id: string; readonly standing: AgentReputation }) {
  const rate = useAct(
    (rating: number) => request('POST /api/agents/{id}/reviews', { path: { id }, body: { rating } }),
    {
      onDone() {
        makeOld('agents');
        toast({ text: 'Your rating counts.' });
      },
    },
  );
  const own = standing.own_rating ?? 0;
  return (
    <div className="row-wrap" role="group" aria-label="Your rating">
      <span>Your rating</span>
      {RATINGS.map((rating) => (
        <button
          key={rating}
          type="button"
          className={rating <= own ? 'agents-star agents-star-on' : 'agents-star'}
          aria-label={`${rating} of 5`}
          aria-pressed={rating === own}
          disabled={rate.isBusy}
          onClick={() => rate.run(rating)}
        >
          <Star />
        </button>
      ))}
      <span className="small muted">
        {standing.reviews === 0
          ? 'nobody rated it yet'
          : `${standing.reviews} ${standing.reviews === 1 ? 'person' : 'people'} rated it`}
      </span>
    </div>
  );
}
