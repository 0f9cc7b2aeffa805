/** Owns how a connection does, in a word and a sentence. */
import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/badge.tsx';
import type { ConnectionGlance } from '../../api/schema.ts';
import type { AuthState, Health } from './types.ts';

const WORDS: Readonly<Record<Health, { readonly word: string; readonly tone: Tone; readonly text: string }>> =
  {
    active: { word: 'healthy', tone: 'green', text: 'Everything known is fresh.' },
    degraded: {
      word: 'degraded',
      tone: 'amber',
      text: 'The last attempt to read it failed; what was known before is served.',
    },
    error: { word: 'error', tone: 'red', text: 'It could never be read.' },
    inactive: { word: 'off', tone: 'neutral', text: 'It is switched off.' },
    needs_reauth: { word: 'needs sign-in', tone: 'amber', text: 'Its server refused the credentials.' },
  };

type Condition = Pick<ConnectionGlance, 'status' | 'reason' | 'breaker'>;

/** The health by colour and word; why is on hover. */
export function HealthBadge({ status, reason, breaker }: Condition) {
  if (status !== 'inactive' && breaker === 'open')
    return (
      <Badge
        tone="red"
        isDotted
        title="Too many calls failed in a row, so that calls fail at once for a while."
      >
        calls stopped
      </Badge>
    );
  const { word, tone, text } = WORDS[status];
  return (
    <Badge tone={tone} isDotted title={reason ?? text}>
      {word}
    </Badge>
  );
}

/** Why it is not well; undefined: it is. */
export function healthText({ status, reason, breaker }: Condition): string | undefined {
  if (status === 'inactive') return WORDS.inactive.text;
  if (breaker === 'open')
    return `Too many calls failed in a row, so that calls fail at once for a while. ${reason ?? ''}`.trim();
  if (status === 'active')
    return breaker === 'half-open' ? 'One call tries whether it works again.' : undefined;
  return reason === null ? WORDS[status].text : `${WORDS[status].text} ${reason}`;
}

const AUTH: Readonly<Record<AuthState['state'], { readonly word: string; readonly tone: Tone }>> = {
  ok: { word: 'ok', tone: 'green' },
  expiring: { word: 'expiring', tone: 'amber' },
  needs_reauth: { word: 'authorise again', tone: 'amber' },
  never: { word: 'not yet', tone: 'amber' },
};

/** How somebody stands with the server of a connection. */
export function AuthBadge({ auth }: { readonly auth: Pick<AuthState, 'kind' | 'state'> | null }): ReactNode {
  if (auth === null) return <span className="faint">no access</span>;
  if (auth.kind === 'none' && auth.state === 'ok') return <span className="faint">none needed</span>;
  const { word, tone } = AUTH[auth.state];
  const isMissing = auth.kind === 'personal_token' && auth.state === 'never';
  // Nothing of the person was refused, since nothing of theirs was there.
  const isWanted = auth.kind === 'none';
  return (
    <Badge tone={tone} isDotted>
      {isMissing ? 'token missing' : isWanted ? 'authorise' : word}
    </Badge>
  );
}

/** What a connection leads to, as people call it. */
export const TYPE_WORDS: Readonly<Record<ConnectionGlance['type'], string>> = {
  HTTP: 'HTTP',
  SSE: 'SSE',
  Websocket: 'Websocket',
  STDIO: 'Program',
  OPENAPI: 'OpenAPI',
  VIRTUAL: 'Virtual MCP',
};
