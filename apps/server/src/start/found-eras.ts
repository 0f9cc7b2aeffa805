/** Writes down the eras of servers as they are found out, beside the calls that found them. */
import { rememberEra } from '@parley/connections';
import type { UpstreamTarget } from '@parley/connections';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';

export interface FoundEras {
  keep(connectionId: string, era: NonNullable<UpstreamTarget['era']>): void;
  /** Ends when all is written; what failed has been told. */
  written(): Promise<void>;
}

export function foundEras(store: Store, onFault: (error: unknown, where: string) => void): FoundEras {
  const writes = new Set<Promise<void>>();
  return {
    keep(connectionId, era) {
      const write = rememberEra(store, connectionId, era);
      writes.add(write);
      detach(
        write.finally(() => writes.delete(write)),
        (error) => onFault(error, 'era of a connection'),
      );
    },
    async written() {
      await Promise.allSettled(writes);
    },
  };
}
