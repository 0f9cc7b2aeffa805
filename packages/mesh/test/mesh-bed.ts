/** The mesh over a database of either engine: two organizations with somebody of every role, for the tests of all its parts. */
import type { Caller, Grants } from '@parley/kit';
import type { Attempt, TestClient } from '@parley/kit/testing';
import { connect } from '@parley/kit/testing';
import type { Store, StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import type { BedTables } from './bed-content.ts';
import { tablesOf } from './bed-content.ts';
import type { BedOrganization, BedPerson } from '@parley/identity/testing';
import { keyOf, settle } from '@parley/identity/testing';
import type { BedOptions, MeshProcess } from './mesh-process.ts';
import { BED_MIGRATIONS, clockOf, standingClock, startMesh } from './mesh-process.ts';
import type { ScriptedUpstream } from './stand-ins.ts';
import { createSandbox, createUpstream } from './stand-ins.ts';
import type { meshTools } from '../src/tools/index.ts';
import { meshToolset } from '../src/toolset.ts';

/** The tools as a caller has them, with the types of their inputs and outputs. */
export type MeshClient = TestClient<typeof meshTools>;

/** An answer as a client reads it: whole, to compare byte for byte, and how the call ended. */
export interface BedAnswer {
  readonly raw: string;
  readonly end: Attempt<Record<string, unknown>, string> | { readonly refused: string };
}

/** The mesh under test. */
export interface MeshBed extends MeshProcess {
  /** The time that everything goes by; it stands still until a test turns it. */
  readonly clock: { nowMs: number };
  readonly upstream: ScriptedUpstream;
  /** The code that the sandbox was given. */
  readonly ran: readonly string[];
  readonly acme: BedOrganization;
  readonly rival: BedOrganization;
  /** The caller behind a new key of somebody with these grants. */
  callerWith(person: BedPerson, grants: Grants): Promise<Caller>;
  /** Calls a tool whose input is not looked at by the compiler; `unknown tool` is an answer too. */
  ask(as: Caller, tool: string, input?: Record<string, unknown>): Promise<BedAnswer>;
  /** The output of a call that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into outputs of every shape
  call(as: Caller, tool: string, input?: Record<string, unknown>): Promise<any>;
  /** The code that a call fails with; `unknown` when the tool is not there for the caller. */
  codeOf(as: Caller, tool: string, input?: Record<string, unknown>): Promise<string>;
  /** Every row of every table, and how many calls are on record. */
  tables(): Promise<BedTables>;
  /** The same as one text, to see that nothing has changed. */
  content(): Promise<string>;
}

/** One more process on the database of a bed, without people of its own. */
export type OpenReplica = () => Promise<MeshProcess>;

/** Runs a suite once per database; all its tests share one bed. `made` gives what stands in for other parts. */
export function onBothMeshes(
  name: string,
  suite: (bed: () => MeshBed, replica: OpenReplica) => void,
  made: () => BedOptions = () => ({}),
): void {
  describe.each<StoreEngine>(['sqlite', 'postgres'])(`${name} on %s`, (engine) => {
    let bed: MeshBed | undefined;
    const ends: (() => Promise<unknown>)[] = [];
    let open = async (): Promise<Store> => Promise.reject(new Error('There is no database yet.'));
    const options: BedOptions = { clock: standingClock(), ...made() };
    beforeAll(async () => {
      const database = await scratchDatabase(engine, BED_MIGRATIONS);
      ends.push(database.remove);
      open = async () => {
        const store = await openStore({ ...database.options, clock: () => clockOf(options).nowMs });
        ends.push(() => store.close());
        return store;
      };
      const own = (bed = await openMesh(await open(), options));
      ends.push(() => own.close());
    });
    afterAll(async () => {
      for (const end of ends.toReversed()) await end();
    });
    const replica = async () => {
      const process = startMesh(await open(), options);
      ends.push(() => process.close());
      return process;
    };
    suite(() => {
      if (bed === undefined) throw new Error('The bed is not made before its tests run.');
      return bed;
    }, replica);
  });
}

/** Migrates a store and makes the mesh on it, with both organizations. */
async function openMesh(store: Store, options: BedOptions = {}): Promise<MeshBed> {
  const clock = clockOf(options);
  await store.migrate(BED_MIGRATIONS);
  const { script, upstream } = createUpstream();
  const { ran, sandbox } = createSandbox();
  const parts = { upstream, sandbox, ...options.parts };
  const mesh = startMesh(store, { ...options, clock, parts });
  const { identity, services } = mesh;
  const clients = new Map<Caller, Promise<MeshClient>>();
  const clientOf = (as: Caller) => {
    const known = clients.get(as) ?? connect(meshToolset, { services, as });
    clients.set(as, known);
    return known;
  };
  const ask: MeshBed['ask'] = async (as, tool, input = {}) => answerOf(await clientOf(as), tool, input);
  const tables = () => tablesOf(store);
  return {
    ...mesh,
    clock,
    upstream: script,
    ran,
    acme: await settle(identity, 'acme'),
    rival: await settle(identity, 'rival'),
    callerWith: async (person, grants) => (await keyOf(identity, person.caller, grants)).caller,
    ask,
    async call(as, tool, input) {
      const { raw, end } = await ask(as, tool, input);
      if (!('ok' in end) || !end.ok) throw new Error(`${tool} failed: ${raw}`);
      return end.value;
    },
    async codeOf(as, tool, input) {
      const { end } = await ask(as, tool, input);
      if (!('ok' in end)) return end.refused.includes(`Unknown tool: ${tool}`) ? 'unknown' : end.refused;
      return end.ok ? 'ok' : end.code;
    },
    tables,
    content: async () => JSON.stringify(await tables()),
    async close() {
      for (const client of clients.values()) await (await client).close();
      await mesh.close();
    },
  };
}

async function answerOf(
  client: MeshClient,
  name: string,
  input: Record<string, unknown>,
): Promise<BedAnswer> {
  return client.raw.callTool({ name, arguments: input }).then(
    (result) => {
      const text = result.content[0]?.type === 'text' ? result.content[0].text : '';
      const value = (result.structuredContent ?? {}) as Record<string, unknown>;
      const code = String(result._meta?.['dev.parley/code']);
      const data = result._meta?.['dev.parley/data'];
      const message = text.replace(/^Error: /, '');
      return {
        raw: JSON.stringify(result),
        end: result.isError === true ? { ok: false, code, message, data } : { ok: true, value, text },
      };
    },
    (error: Error) => ({ raw: error.message, end: { refused: error.message } }),
  );
}
