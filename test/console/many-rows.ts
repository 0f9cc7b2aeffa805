/** An organization with very many of everything: real rows of the product, each copied as often as is wanted. */
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import { openPage, tokenOf } from '../product/annotations-page.ts';
import type { ConsoleServer } from '../product/console-browser.ts';
import { callTool } from '../product/mcp-messages.ts';

/** What stands instead of the copied value; `n` counts from 1. */
type Instead = Readonly<Record<string, string>>;

/** Another id of the same form. */
const ID = "substr(id, 1, length(id) - 6) || printf('%06d', n)";
/** Every copy is a second older than the one before. */
const OLDER = (column: string) => `${column} - n * 1000`;

/** Copies the newest row of a table. */
async function copies(
  store: Store,
  table: string,
  count: number,
  { own, ...instead }: Instead,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(
    store.db(),
  );
  // A key that the database gives itself is not copied.
  const columns = rows.map(({ name }) => name).filter((name) => name !== own);
  const values = columns.map((name) => instead[name] ?? `"${name}"`);
  const named = columns.map((name) => `"${name}"`).join(', ');
  await sql
    .raw(
      `insert into "${table}" (${named})
       with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
       select ${values.join(', ')} from (select * from "${table}" order by rowid desc limit 1), numbers`,
    )
    .execute(store.db());
}

/** Fills the first organization; returns the seconds that each noun took. */
export async function fillConsole(server: ConsoleServer, count: number): Promise<Record<string, number>> {
  const { store, identity } = server.app.host;
  const owner = await server.signedIn();
  const { organization } = (await owner.ask('GET /api/session')).body.data;
  const seconds: Record<string, number> = {};
  const fill = async (noun: string, work: () => Promise<unknown>) => {
    const startedMs = performance.now();
    await work();
    seconds[noun] = Math.round((performance.now() - startedMs) / 100) / 10;
  };
  await fill('annotations', async () => {
    const { tag } = (await owner.ask('GET /api/annotations/page-tokens/tag')).body.data;
    const page = await openPage(server.url, tokenOf(tag));
    await page.annotate('One of very many');
    page.close();
    await copies(store, 'annotations', count, {
      id: ID,
      client_id: ID,
      number: 'number + n',
      annotation_text: "annotation_text || ' ' || n",
      created_at: OLDER('created_at'),
    });
  });
  await fill('posts', async () => {
    const { body } = await owner.ask('GET /api/v1/boards');
    await owner.ask('POST /api/v1/posts', { body: { boardId: body.data[0].id, title: 'One of very many' } });
    await copies(store, 'feedback_posts', count, {
      own: 'seq',
      id: ID,
      title: "title || ' ' || n",
      created_at: OLDER('created_at'),
    });
  });
  await fill('tasks', async () => {
    const { body } = await callTool(server, 'start_long_running_task', { steps: 1, delayMs: 100 });
    const { taskId } = body.result!.structuredContent as { taskId: string };
    while ((await owner.ask(`GET /api/tasks/${taskId}`)).body.data.finishedAt === null) await turn();
    await copies(store, 'tasks', count, { id: ID, created_at: OLDER('created_at'), idempotency_key: 'null' });
  });
  await fill('events', async () => {
    await owner.call('self', 'EVENT_PUBLISH', { type: 'very.many', data: {} });
    // The newest is the last: numbers go down from the one that was published.
    await sql`update events set seq = seq + ${count} where type = 'very.many'`.execute(store.db());
    await sql`update event_sequences set seq = seq + ${count}`.execute(store.db());
    await copies(store, 'events', count, { id: ID, seq: 'seq - n', time: OLDER('time') });
  });
  await fill('people', async () => {
    const by = (await identity.callerOfMember(organization.id, (await session(owner)).person.id))!;
    const userId = await identity.ensureUser({ email: 'many@acme.example', name: 'One of many' });
    await identity.addMember(by, { userId, roles: ['member'] });
    const user = { id: ID, name: "name || ' ' || n", email: "'many' || n || '@acme.example'" };
    await copies(store, 'users', count, user);
    const last = (column: string) => `substr(${column}, 1, length(${column}) - 6) || printf('%06d', n)`;
    await copies(store, 'members', count, { id: ID, user_id: last('user_id') });
    await copies(store, 'member_roles', count, { member_id: last('member_id') });
  });
  await fill('keys', async () => {
    await owner.call('self', 'API_KEY_CREATE', { name: 'One of many', permissions: { self: ['TAGS_LIST'] } });
    await copies(store, 'api_keys', count, {
      id: ID,
      public_id: 'public_id || n',
      hash: 'hash || n',
      name: "name || ' ' || n",
    });
  });
  await fill('calls', async () => {
    const call = {
      organizationId: organization.id,
      callerId: 'key_many',
      userId: null,
      source: 'key',
      toolset: 'self',
      method: 'tools/call',
      effect: 'read',
      outcome: 'ok',
      code: null,
      durationUs: 3_000,
      era: 'modern',
      client: 'many',
      requestId: null,
    } as const;
    const nowMs = Date.now();
    for (let index = count; index > 0; index -= 1) {
      store.records.append({ ...call, tool: `many_${index % 50}`, at: nowMs - index * 500 });
      if (index % 4_000 === 0) await store.records.flush();
    }
    await store.records.flush();
  });
  return seconds;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function session(owner: Awaited<ReturnType<ConsoleServer['signedIn']>>) {
  return (await owner.ask('GET /api/session')).body.data as { person: { id: string } };
}
