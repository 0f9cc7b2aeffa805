/** The circuit of a recipient: five failures in a row open it, after 30 seconds one message at a time tries it, two successes close it. */
import type { StoreTransaction } from '@parley/store';
import type { BreakerRow, MessageTables } from './schema.ts';

const FAILURES_TO_OPEN = 5;
const SUCCESSES_TO_CLOSE = 2;
const OPEN_MS = 30_000;

/** A recipient. */
export interface Recipient {
  readonly organizationId: string;
  readonly agentId: string;
}

/** The circuit now, held until the transaction ends. */
export async function circuitOf(
  tx: StoreTransaction,
  { agentId }: Recipient,
): Promise<BreakerRow | undefined> {
  await tx.exclusive(`agent-circuit ${agentId}`);
  return tx
    .db<MessageTables>()
    .selectFrom('agent_breakers')
    .selectAll()
    .where('to_agent', '=', agentId)
    .executeTakeFirst();
}

/** How long no message passes; 0: one passes now. */
export function closedFor(circuit: BreakerRow | undefined, at: number): number {
  if (circuit === undefined || circuit.state === 'closed') return 0;
  if (circuit.state === 'open') return Math.max(0, (circuit.opened_at ?? 0) + OPEN_MS - at);
  return circuit.trial === null ? 0 : Math.max(0, (circuit.trial_until ?? 0) - at);
}

/** Lets a message pass; where the circuit is not closed, it is the one that tries it. */
export async function pass(
  tx: StoreTransaction,
  circuit: BreakerRow | undefined,
  trial: { readonly id: string; readonly until: number },
  at: number,
): Promise<void> {
  if (circuit === undefined || circuit.state === 'closed') return;
  const successes = circuit.state === 'open' ? 0 : circuit.successes;
  await write(
    tx,
    { ...circuit, state: 'half_open', successes, trial: trial.id, trial_until: trial.until },
    at,
  );
}

/** What became of a message; `neither`: nothing is known of the recipient by it. */
export async function learn(
  tx: StoreTransaction,
  to: Recipient,
  messageId: string,
  outcome: 'success' | 'failure' | 'neither',
  at: number,
): Promise<void> {
  const circuit = (await circuitOf(tx, to)) ?? newCircuit(to, at);
  const trial = circuit.trial === messageId ? { trial: null, trial_until: null } : {};
  const next = { ...circuit, ...trial, ...changeBy(circuit, outcome, at) };
  if (outcome === 'neither' && circuit.trial !== messageId) return;
  await write(tx, next, at);
}

function changeBy(
  { state, failures, successes }: BreakerRow,
  outcome: 'success' | 'failure' | 'neither',
  at: number,
): Partial<BreakerRow> {
  if (outcome === 'neither') return {};
  // Sent before it opened.
  if (state === 'open') return {};
  if (outcome === 'success') {
    if (state === 'closed') return { failures: 0 };
    if (successes + 1 < SUCCESSES_TO_CLOSE) return { successes: successes + 1 };
    return { state: 'closed', failures: 0, successes: 0, opened_at: null };
  }
  if (state === 'closed' && failures + 1 < FAILURES_TO_OPEN) return { failures: failures + 1 };
  return { state: 'open', failures: failures + 1, successes: 0, opened_at: at };
}

function newCircuit({ organizationId, agentId }: Recipient, at: number): BreakerRow {
  return {
    organization_id: organizationId,
    to_agent: agentId,
    state: 'closed',
    failures: 0,
    successes: 0,
    opened_at: null,
    trial: null,
    trial_until: null,
    created_at: at,
    updated_at: at,
  };
}

async function write(tx: StoreTransaction, row: BreakerRow, at: number): Promise<void> {
  const { created_at: _created, organization_id: _organization, to_agent: _to, ...change } = row;
  await tx
    .db<MessageTables>()
    .insertInto('agent_breakers')
    .values({ ...row, updated_at: at })
    .onConflict((conflict) => conflict.column('to_agent').doUpdateSet({ ...change, updated_at: at }))
    .execute();
}
