/** Very many memories of agents as a bench process: recalling them is timed in here. */
import { sign } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createIdentity, identityMigrations } from '@parley/identity';
import { byEngine, openStore } from '@parley/store';
import type { StoreTransaction } from '@parley/store';
import { sql } from 'kysely';
import { agentMigrations } from '../../packages/agent/src/migrations/index.ts';
import type { AgentRow, AgentTables } from '../../packages/agent/src/schema.ts';
import { createChain } from '../../packages/agent/src/services/chain/chain.ts';
import { entryHash, hashOf, NO_HASH } from '../../packages/agent/src/services/chain/entry.ts';
import { keyRows, privateKeyOf } from '../../packages/agent/src/services/chain/keys.ts';
import type { ChainRow, ChainTables } from '../../packages/agent/src/services/chain/schema.ts';
import { createMemories } from '../../packages/agent/src/services/memories/memories.ts';
import { payloadOf, subjectOf, textsOf } from '../../packages/agent/src/services/memories/rows.ts';
import type { MemoryTables } from '../../packages/agent/src/services/memories/schema.ts';
import { indexedWords } from '../../packages/agent/src/services/memories/search.ts';
import { queryOf, seededRandom, textOf, vocabulary } from './feedback-text.ts';
import { announce } from './serving.ts';

const { values } = parseArgs({
  options: { data: { type: 'string', default: '' }, 'database-url': { type: 'string' } },
});
const databaseUrl = values['database-url'];
const store = await openStore({ dataDir: values.data, ...(databaseUrl !== undefined && { databaseUrl }) });
await store.migrate([identityMigrations, agentMigrations]);
const identity = createIdentity(store);
let key = '';
await identity.bootstrap(async (text) => {
  key = text;
});
const caller = await identity.authenticate(key, 'key');
if (caller === undefined) throw new Error('The owner key of the bench does not work.');
const { organizationId, userId } = caller;
const chain = createChain({ store, audit: identity.audit, now: Date.now, sources: [] });
const memories = createMemories({ store, chain, audit: identity.audit, now: Date.now });

/** As many as an agent may have. */
const PER_AGENT = 10_000;
const CHUNK = 200;
const SHOWN = 20;
const random = seededRandom(7);
const words = vocabulary(random);
const agents: string[] = [];

async function addAgent(index: number): Promise<string> {
  const at = Date.now();
  const row: AgentRow = {
    id: `agt_bench${index}`,
    organization_id: organizationId,
    user_id: userId ?? '',
    name: `Agent ${index}`,
    name_key: `agent ${index}`,
    description: '',
    account_id: `acct_bench${index}`,
    mcp_tool_permissions: null,
    default_project_id: null,
    runner: null,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  await store.transaction(async (tx) => {
    await tx.db<AgentTables>().insertInto('agents').values(row).execute();
    await chain.born(tx, row);
  });
  return row.id;
}

/** Memories as saving makes them, many in one transaction. */
async function fillAgent(agentId: string, count: number): Promise<void> {
  const [keyRow] = await keyRows(store, agentId);
  if (keyRow === undefined) throw new Error('The agent has no key.');
  const privateKey = privateKeyOf(keyRow, store.secrets);
  let last = NO_HASH;
  const made = (seq: number) => {
    const at = Date.now();
    const { title, content } = textOf(words, random);
    const saved = { key: `${title} ${seq}`, content, updated_at: at, expires_at: null };
    const unsigned = {
      organization_id: organizationId,
      agent_id: agentId,
      seq,
      kind: 'memory' as const,
      subject_id: subjectOf(agentId, saved.key),
      payload_hash: hashOf(payloadOf(saved)),
      prev_hash: last,
      created_at: at,
      updated_at: at,
    };
    const own = entryHash(unsigned);
    last = own;
    const signature = sign(null, Buffer.from(own, 'hex'), privateKey).toString('base64url');
    const entry: ChainRow = { ...unsigned, hash: own, key_id: keyRow.key_id, signature };
    const texts = textsOf(saved.key, content);
    const common = { organization_id: organizationId, agent_id: agentId, created_at: at, hash: own, seq };
    const row = { ...common, ...saved, ...texts, archived: 0, bytes: Buffer.byteLength(content) };
    return { entry, row, words: indexedWords(agentId, texts.folded) };
  };
  for (let from = 0; from < count; from += CHUNK) {
    const all = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) => made(from + index + 1));
    await store.transaction((tx) => write(tx, all));
  }
}

interface Made {
  entry: ChainRow;
  row: Omit<MemoryTables['agent_memories'], 'id'>;
  words: string[];
}

async function write(tx: StoreTransaction, all: readonly Made[]): Promise<void> {
  const db = tx.db<ChainTables & MemoryTables>();
  await db
    .insertInto('agent_chain')
    .values(all.map(({ entry }) => entry))
    .execute();
  await byEngine(tx.engine, {
    async sqlite() {
      const rows = db.insertInto('agent_memories').values(all.map(({ row }) => row));
      const ids = await rows.returning('id').execute();
      const indexed = all.map((made, index) => sql`(${ids[index]?.id}, ${made.words.join(' ')})`);
      await sql`insert into agent_memories_fts (rowid, words) values ${sql.join(indexed)}`.execute(db);
    },
    async postgres() {
      const rows = all.map((made) => ({
        ...made.row,
        words: sql`array_to_tsvector(${made.words}::text[])`,
      }));
      await tx
        .db<{ agent_memories: Record<string, unknown> }>()
        .insertInto('agent_memories')
        .values(rows)
        .execute();
    },
  })();
}

async function fill(count: number): Promise<object> {
  const startedMs = performance.now();
  for (let from = 0; from < count; from += PER_AGENT) {
    const agentId = await addAgent(agents.length);
    agents.push(agentId);
    await fillAgent(agentId, Math.min(PER_AGENT, count - from));
  }
  // what PostgreSQL does by itself after a while; the measurement must not depend on when
  if (store.engine === 'postgres') await sql.raw('vacuum analyze').execute(store.db());
  return { seconds: Math.round((performance.now() - startedMs) / 1000) };
}

// ranks of the vocabulary between which a word is common, middling or rare
const RANKS = { common: [0, 60], middling: [60, 2000], rare: [2000, 20_000] } as const;

function wordOf(kind: keyof typeof RANKS): string {
  const [from, to] = RANKS[kind];
  return words.telling[from + Math.floor(random() * (to - from))] ?? '';
}

/** What agents ask for, each kind with a query of its own. */
const QUERIES: Readonly<Record<string, () => string | undefined>> = {
  // as in P9: one to three words of mixed frequency
  mixed: () => queryOf(words, random),
  common: () => wordOf('common'),
  middling: () => wordOf('middling'),
  rare: () => wordOf('rare'),
  prefix: () => wordOf('middling').slice(0, 3),
  words: () => `${wordOf('common')} ${wordOf('middling')}`,
  newest: () => undefined,
  // in the middle of words, so that no index helps
  part: () => `${wordOf('middling').slice(1)} ${wordOf('common').slice(0, 2)}`,
};

/** Recalls one after another, each as another agent; every one that is found must be as it was signed. */
async function recall(kind: string, count: number): Promise<object> {
  const query = QUERIES[kind];
  if (query === undefined) throw new Error(`There is no kind "${kind}".`);
  const timesMs: number[] = [];
  let found = 0;
  for (let made = 0; made < count; made += 1) {
    const agentId = agents[made % agents.length] ?? '';
    const asked = { query: query(), limit: SHOWN };
    const startedMs = performance.now();
    const answer = await memories.recall({ organizationId, agentId }, asked);
    timesMs.push(performance.now() - startedMs);
    found += answer.total;
    if (answer.memories.some(({ signature }) => signature !== 'valid'))
      throw new Error('A memory is not as it was signed.');
  }
  return { timesMs, found };
}

announce(
  { url: '', key: '' },
  {
    async close() {
      identity.close();
      await store.close();
    },
    commands: {
      kinds: () => ({ kinds: Object.keys(QUERIES) }),
      fill: (count) => fill(Number(count)),
      recall: (argument) => {
        const [kind = '', count] = argument.split(':');
        return recall(kind, Number(count));
      },
    },
  },
);
