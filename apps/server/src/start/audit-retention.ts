/** Keeps the audit log as short as it is set to be, while a server runs. */
import type { Identity } from '@parley/identity';
import { detach } from '@parley/kit';

const EVERY_MS = 60 * 60_000;

/** Removes what is too old, now and every hour; returns the function that ends it. */
export function keepAuditShort(
  { audit }: Pick<Identity, 'audit'>,
  keepMs: number,
  onFault: (error: unknown, where: string) => void,
): () => Promise<void> {
  if (keepMs === 0) return async () => undefined;
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= audit.sweep(Date.now() - keepMs).finally(() => (running = undefined));
    detach(running, (error) => onFault(error, 'audit retention'));
  };
  const timer = setInterval(run, EVERY_MS).unref();
  run();
  return async () => {
    clearInterval(timer);
    // What failed was reported by the run itself.
    await running?.catch(() => undefined);
  };
}
