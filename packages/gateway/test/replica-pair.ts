/** Two servers on one database, each with upstreams of its own making, for the tests of replicas. */
import type { Store } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { createStateSealer } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { gatewayMigrations } from '../src/index.ts';
import type { Replicas } from '../src/index.ts';
import { createReplicas } from '../src/replicas/replicas.ts';
import type { Bed } from './scripted-links.ts';
import { startBed } from './scripted-links.ts';
import type { TestGateway } from './start-gateway.ts';
import { startGateway } from './start-gateway.ts';

/** One of the two. */
export interface Replica {
  readonly gateway: TestGateway;
  readonly replicas: Replicas;
  readonly bed: Bed;
  end(): Promise<void>;
}

export interface ReplicaPair extends AsyncDisposable {
  readonly store: Store;
  readonly one: Replica;
  readonly two: Replica;
}

export async function startPair(): Promise<ReplicaPair> {
  const store = await scratchStore();
  await store.migrate([gatewayMigrations]);
  const shared = { store, ownerKey: '' };
  const start = async (): Promise<Replica> => {
    const egress = createEgress();
    const replicas = createReplicas({ store, egress, onFault: () => undefined });
    const bed = startBed({ replicaId: replicas.id, elsewhere: replicas.parked });
    const sealer = createStateSealer(store.secrets.deriveAll('request-state'));
    const cursorKeys = store.secrets.deriveAll('cursors');
    const gateway = await startGateway({ shared, replicas, connections: bed.gateway, sealer, cursorKeys });
    let ended: Promise<void> | undefined;
    const end = async () => {
      await gateway[Symbol.asyncDispose]();
      await bed[Symbol.asyncDispose]();
      await egress.close();
    };
    return { gateway, replicas, bed, end: () => (ended ??= end()) };
  };
  const one = await start();
  const two = await start();
  return {
    store,
    one,
    two,
    async [Symbol.asyncDispose]() {
      await Promise.all([one.end(), two.end()]);
      await store[Symbol.asyncDispose]();
    },
  };
}
