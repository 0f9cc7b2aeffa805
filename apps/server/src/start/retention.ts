/** Keeps what grows as short as it is set to be, while a server runs: the audit log, steps of calls, and kept results. */
import { sweepCallSteps, sweepKeptResults } from '@parley/gateway';
import type { Identity } from '@parley/identity';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';

const AUDIT_EVERY_MS = 60 * 60_000;
const CALLS_EVERY_MS = 60_000;

type OnFault = (error: unknown, where: string) => void;

/** Removes what is too old, now and again and again; returns the function that ends it. */
export function keepShort(
  { store, identity: { audit } }: { readonly store: Store; readonly identity: Pick<Identity, 'audit'> },
  { auditKeepMs }: { readonly auditKeepMs: number },
  onFault: OnFault,
): () => Promise<void> {
  const stopping = new AbortController();
  const calls = async () => {
    await sweepCallSteps(store, store.now(), stopping.signal);
    await sweepKeptResults(store, store.now(), stopping.signal);
  };
  const ends = [again(calls, CALLS_EVERY_MS, (error) => onFault(error, 'retention of calls'))];
  if (auditKeepMs > 0) {
    const shorten = () => audit.sweep(store.now() - auditKeepMs);
    ends.push(again(shorten, AUDIT_EVERY_MS, (error) => onFault(error, 'audit retention')));
  }
  return async () => {
    stopping.abort();
    await Promise.all(ends.map((end) => end()));
  };
}

function again(work: () => Promise<void>, everyMs: number, onFault: (error: unknown) => void) {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= work().finally(() => (running = undefined));
    detach(running, onFault);
  };
  const timer = setInterval(run, everyMs).unref();
  run();
  return async () => {
    clearInterval(timer);
    // What failed was reported by the run itself.
    await running?.catch(() => undefined);
  };
}
