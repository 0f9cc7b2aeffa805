/** Owns how the parts of a call look: how it ended, who called, how long it took. */
import { Badge, StateBadge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  ok: 'green',
  error: 'red',
  denied: 'amber',
  cancelled: 'neutral',
};

/** How a call ended, with the code where there is one. */
export function OutcomeBadge({ outcome, code }: { readonly outcome: string; readonly code: string | null }) {
  // Neither a success nor a failure: it goes on as a task, or waits for an answer.
  const state = outcome === 'ok' && code !== null ? code : outcome;
  return <StateBadge state={state} tone={state === 'ok' ? 'green' : (TONES[outcome] ?? 'neutral')} />;
}

const SOURCES: Readonly<Record<string, string>> = {
  web: 'console',
  key: 'key',
  stdio: 'stdio',
  cli: 'command line',
  agent: 'agent',
  schedule: 'schedule',
  webhook: 'webhook',
  remote: 'remote agent',
};

/** By which way a call came. */
export function SourceBadge({ source }: { readonly source: string }) {
  return <Badge>{SOURCES[source] ?? source}</Badge>;
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** The share of errors in words. */
export function shareText(errors: number, calls: number): string {
  return calls === 0 ? '–' : percent.format(errors / calls);
}

/** Bytes in words. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
