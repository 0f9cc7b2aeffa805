/** This process among the replicas of one database: whose a session is, requests that go on to others, and those that come from them. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Egress } from '@parley/kit/egress';
import type { Store } from '@parley/store';
import type { ParkedElsewhere } from '../upstream/parked.ts';
import type { DirectoryTimes } from './directory.ts';
import { ReplicaDirectory } from './directory.ts';
import { Forwarder } from './forward.ts';
import { parkedElsewhere } from './parked-calls.ts';
import type { Claims } from './pass.ts';
import { Passes, PASS_HEADER } from './pass.ts';

export interface ReplicaOptions {
  readonly store: Store;
  readonly egress: Egress;
  readonly onFault: (error: unknown, where: string) => void;
  /** Tests have less. */
  readonly times?: Partial<DirectoryTimes> | undefined;
}

/** A request of a client on its way to the replica that has its session. */
export interface Passing {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: unknown;
  readonly callerId: string;
}

/** What the gateway does with other replicas. */
export interface Replicas {
  /** Another one after every start: what a process held is gone with it. */
  readonly id: string;
  /** Says whose it is, to every replica, without a look into the database. */
  newSessionId(): string;
  /** The other replica that a request has to go to; undefined: it stays here. */
  ownerOf(req: IncomingMessage): string | undefined;
  /** Sends a request on; throws a refusal when that replica is gone. */
  pass(replicaId: string, passing: Passing): Promise<void>;
  /** Ends the streams that go on to others. */
  endStreams(): void;
  /** What another replica says of a request that it sends; undefined: it is from anybody. */
  arrivalOf(req: IncomingMessage): Claims | undefined;
  /** The way to calls that wait elsewhere. */
  readonly parked: ParkedElsewhere;
  /** From now on others reach this one at the address. */
  join(address: string): Promise<void>;
  /** From now on others send only what belongs to calls that run here; its sessions are gone for everything else. */
  retire(): Promise<void>;
  /** From now on what others have of this one is gone. */
  leave(): Promise<void>;
}

const ID_BYTES = 9;
const SESSION_BYTES = 16;
const SESSION_ID = /^([A-Za-z0-9_-]{12})\.[A-Za-z0-9_-]{22}$/;

export function createReplicas({ store, egress, onFault, times }: ReplicaOptions): Replicas {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const passes = new Passes(store.secrets.deriveAll('replica-pass'));
  const directory = new ReplicaDirectory({
    store,
    id,
    onLapse: (gone) => forwarder.cut(gone),
    onFault,
    times,
  });
  const forwarder = new Forwarder({ id, egress, passes, find: (other) => directory.find(other) });
  return {
    id,
    newSessionId: () => `${id}.${randomBytes(SESSION_BYTES).toString('base64url')}`,
    ownerOf({ headers }) {
      // One hop and no more: what came from a replica is answered here or not at all.
      if (headers[PASS_HEADER] !== undefined) return undefined;
      const owner = SESSION_ID.exec(headers['mcp-session-id']?.toString() ?? '')?.[1];
      return owner === id ? undefined : owner;
    },
    pass: (replicaId, passing) => forwarder.pass(replicaId, passing),
    endStreams: () => forwarder.endStreams(),
    arrivalOf({ method = '', url = '', headers }) {
      return headers[PASS_HEADER] === undefined ? undefined : passes.check({ method, url, headers }, id);
    },
    parked: parkedElsewhere(forwarder.send),
    join: (address) => directory.join(address),
    retire: () => directory.retire(),
    leave: () => directory.leave(),
  };
}
