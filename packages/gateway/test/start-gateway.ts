/** Starts a real server around the gateway, with a throwaway store, real keys and the lab's tools. */
import { createServer } from 'node:http';
import type { Server, ServerResponse, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONNECTIONS_CHANGED } from '@parley/connections';
import type { Identity } from '@parley/identity';
import { createIdentity, IDENTITY_CHANGED, identityMigrations } from '@parley/identity';
import type {
  AnyToolset,
  Caller,
  ChangeBus,
  Engine,
  Grants,
  LongResults,
  Source,
  StateSealer,
} from '@parley/kit';
import { ALL_GRANTS, createChangeBus, createEngine, detach, install, toolsetSource } from '@parley/kit';
import type { AllowedNames } from '@parley/http';
import { readJson, UnreadBytes } from '@parley/http';
import type { MigrationSet, Store, StoredCallRecord } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import {
  callParts,
  createGateway,
  createRequestRate,
  DEFAULT_LIMITS,
  gatewayMigrations,
} from '../src/index.ts';
import type { ConnectionGateway, Limits, VirtualMcpEngines, Replicas } from '../src/index.ts';
import { createModernLeg } from '../src/http/modern.ts';
import type { VirtualOptions } from '../src/virtual/registry.ts';
import { createNoticeBoard } from '../src/http/notices.ts';
import type { Lab } from './lab-tools.ts';
import { createLab, labToolset, vaultToolset } from './lab-tools.ts';

/** A server under test. */
export interface TestGateway extends AsyncDisposable {
  readonly port: number;
  /** A second port where every message goes down the SDK's modern path. */
  readonly sdkPort: number;
  readonly lab: Lab;
  readonly store: Store;
  readonly identity: Identity;
  readonly engine: Engine;
  readonly changes: ChangeBus;
  readonly limits: Limits;
  /** The owner's key as text. */
  readonly ownerKey: string;
  readonly owner: Caller;
  /** What was reported as a fault of ours. */
  readonly faults: unknown[];
  /** How often rights were looked up for a notice, and whether that fails, as without a database. */
  readonly lookUps: { count: number; isFailing: boolean };
  /** Makes a key of the owner's organization, or of the maker's. */
  key(
    grants: Grants,
    options?: { maker?: Caller; expiresAt?: number; name?: string },
  ): Promise<{ text: string; id: string }>;
  /** Makes a second organization and an owner key for it. */
  stranger(slug: string): Promise<{ text: string; caller: Caller }>;
  callerOf(key: string): Promise<Caller>;
  /** Everything recorded so far for an organization, oldest first. */
  records(organizationId?: string): Promise<StoredCallRecord[]>;
}

/** What a test may change. */
export interface TestGatewayOptions {
  readonly limits?: Partial<Limits>;
  readonly names?: AllowedNames;
  readonly toolsets?: readonly AnyToolset[];
  readonly sources?: readonly Source[];
  /** Connections to upstreams; whoever made them ends them. */
  readonly connections?: ConnectionGateway;
  readonly sealer?: StateSealer;
  readonly cursorKeys?: readonly Buffer[];
  readonly now?: () => number;
  /** What the tables need besides people and calls. */
  readonly migrations?: readonly MigrationSet[];
  /** Keeps what of results is too long for an answer. */
  longResults?(parts: Pick<VirtualParts, 'store' | 'onFault'>): LongResults;
  /** What organizations put together; closed with the server. */
  virtual?(parts: VirtualParts): VirtualMcpEngines;
  /** A database that others use too, with the key of its owner when it has one; whoever opened it closes it. */
  readonly shared?: { readonly store: Store; ownerKey: string };
  /** This server among those on the database; it joins them, and leaves them at its end. */
  readonly replicas?: Replicas;
}

/** What a test makes virtual MCPs from. */
export type VirtualParts = Pick<VirtualOptions, 'store' | 'engine' | 'changes' | 'observe' | 'onFault'>;

const INFO = { name: 'parley-test', version: '1.2.3' };
// A test that is not about rates must not meet one.
const NO_RATE = { ratePerSecond: 1e6, rateBurst: 1e6, heavyRatePerSecond: 1e6, heavyRateBurst: 1e6 };

/** Starts a server; `await using` stops it and removes its data. */
export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const limits = { ...DEFAULT_LIMITS, ...NO_RATE, failedCredentialsPerMinute: 1e6, ...options.limits };
  const { shared, replicas } = options;
  const own = shared === undefined ? await scratchStore() : undefined;
  const store = shared?.store ?? own;
  if (store === undefined) throw new Error('There is neither a shared database nor one of its own.');
  await store.migrate([identityMigrations, gatewayMigrations, ...(options.migrations ?? [])]);
  const identity = createIdentity(store, options.now === undefined ? {} : { now: options.now });
  // Every connection of these tests may call back for all that its token says.
  identity.serveCallBacks({ topic: CONNECTIONS_CHANGED, grantsOf: async () => ALL_GRANTS });
  let ownerKey = shared?.ownerKey ?? '';
  await identity.bootstrap(async (text) => {
    ownerKey = text;
    if (shared !== undefined) shared.ownerKey = text;
  });
  const changes = createChangeBus();
  const unsubscribe = store.signal.subscribe(IDENTITY_CHANGED, ({ payload }) => {
    changes.publish({ kind: 'tools', ...(payload !== null && { organizationId: payload }) });
  });
  const lab = createLab();
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const { connections } = options;
  const parts = callParts(store, limits);
  const engine = createEngine({
    sources: [
      ...(options.toolsets ?? [labToolset, vaultToolset]).map((toolset) =>
        toolsetSource(install(toolset, lab)),
      ),
      ...(options.sources ?? []),
      ...(connections === undefined ? [] : [connections.source]),
    ],
    changes,
    ...parts,
    longResults: options.longResults?.({ store, onFault }),
    middleware: [...parts.middleware, ...(connections?.middleware ?? [])],
    onFault,
    ...(options.sealer !== undefined && { sealer: options.sealer }),
    ...(options.cursorKeys !== undefined && { cursorKeys: options.cursorKeys }),
  });
  const lookUps = { count: 0, isFailing: false };
  const current = async (caller: Caller) => {
    lookUps.count += 1;
    if (lookUps.isFailing) throw new StoreUnavailableError('busy');
    return identity.current(caller);
  };
  const names = options.names ?? { hosts: [], origins: [] };
  const base = { info: INFO, changes, limits, onFault };
  const { observe } = parts;
  const virtual = options.virtual?.({ store, engine: () => engine, changes, observe, onFault });
  const gateway = createGateway({
    ...base,
    virtual,
    engine,
    identity: { ...identity, current },
    names,
    countRequest: createRequestRate(limits),
    isInactive: (organizationId, name) => connections?.source.isInactive(organizationId, name) ?? false,
    lookAgain: async (organizationId) => connections?.source.lookAgain(organizationId),
    watches: connections?.watches,
    replicas,
    resumeParked: async (id, parkedOwner, call) => connections?.bridge.resume(id, parkedOwner, call),
  });
  const board = createNoticeBoard({ ...base, current });
  const leg = createModernLeg({ ...base, board, unread: new UnreadBytes() });
  const callerOf = async (key: string): Promise<Caller> => {
    const caller = await identity.authenticate(key, 'key');
    if (caller === undefined) throw new Error('The test used a key that is not valid.');
    return caller;
  };
  const front = await listen((req, res) => gateway.handle(req, res));
  const direct = await listen(async (req, res) => {
    const caller = await callerOf(req.headers.authorization?.replace('Bearer ', '') ?? '');
    await leg.handle(req, res, await readJson(req, limits), { caller, engine });
  });
  const owner = await callerOf(ownerKey);
  await replicas?.join(`http://127.0.0.1:${portOf(front)}`);

  return {
    port: portOf(front),
    sdkPort: portOf(direct),
    lab,
    store,
    identity,
    engine,
    changes,
    limits,
    ownerKey,
    owner,
    faults,
    lookUps,
    callerOf,
    async key(
      grants,
      {
        maker = owner,
        expiresAt = null,
        name = 'Test key',
      }: { maker?: Caller; expiresAt?: number | null; name?: string } = {},
    ) {
      const { text, info } = await identity.createKey(maker, { name, grants, expiresAt });
      return { text, id: info.id };
    },
    async stranger(slug) {
      const made = await identity.createOrganization({
        slug,
        name: slug,
        owner: { name: slug, email: null },
      });
      const maker: Caller = { ...owner, organizationId: made.organizationId, userId: made.userId };
      const { text } = await identity.createKey(maker, { name: slug, grants: ALL_GRANTS, expiresAt: null });
      return { text, caller: await callerOf(text) };
    },
    async records(organizationId = owner.organizationId) {
      await store.records.flush();
      return (await store.records.list({ organizationId, limit: 1000 })).toReversed();
    },
    async [Symbol.asyncDispose]() {
      await replicas?.leave();
      await gateway.close();
      virtual?.close();
      board.close();
      await leg.close();
      await Promise.all([stop(front), stop(direct)]);
      unsubscribe();
      identity.close();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

function listen(handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>): Promise<Server> {
  // The same settings as the product's own port.
  const server = createServer({ maxHeaderSize: 16 * 1024, joinDuplicateHeaders: true }, (req, res) =>
    detach(handle(req, res), (error) => res.destroy(error as Error)),
  );
  server.maxHeadersCount = DEFAULT_LIMITS.headerFields + 1;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function portOf(server: Server): number {
  // Listening on a port, so the address is not a path.
  return (server.address() as AddressInfo).port;
}
