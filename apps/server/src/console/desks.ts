/** What people keep in the console for themselves: saved views of screens, and how far the first run has come. */
import { ToolError } from '@parley/kit';
import type { Caller } from '@parley/kit';
import type { Store, StoredCallRecord } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { isDemoCall } from '../demo/scene.ts';
import type { Host } from '../start/host.ts';
import { hasClient } from './clients-seen.ts';
import type { ConsoleTables, DeskRow } from './migrations.ts';

export interface SavedView {
  readonly name: string;
  /** The filters, as they stand in the address after the question mark. */
  readonly search: string;
}

type Views = Readonly<Record<string, readonly SavedView[]>>;

/** How far the first run has come. */
export interface FirstRun {
  readonly steps: {
    readonly signIn: boolean;
    readonly client: boolean;
    readonly call: {
      readonly id: string;
      readonly at: string;
      readonly tool: string;
      readonly client: string | null;
    } | null;
  };
  readonly isDone: boolean;
  readonly isSkipped: boolean;
}

const MOST_SCREENS = 100;
const MOST_BYTES = 1024 ** 2;
const NO_DESK = { views: '{}', first_run_skipped_at: null };

/** Whose desk. */
interface Owner {
  readonly organizationId: string;
  readonly userId: string;
}

export async function viewsOf(store: Store, owner: Owner, screen: string): Promise<readonly SavedView[]> {
  const { views } = (await deskOf(store, owner)) ?? NO_DESK;
  const all = fromJson<Views>(views);
  return Object.hasOwn(all, screen) ? (all[screen] ?? []) : [];
}

/** Keeps the views of one screen in the place of those before. */
export async function keepViews(
  store: Store,
  owner: Owner,
  { screen, views }: { readonly screen: string; readonly views: readonly SavedView[] },
): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.exclusive(`console desk ${owner.organizationId} ${owner.userId}`);
    const before = fromJson<Views>((await deskOf(tx, owner))?.views ?? '{}');
    const entries = Object.entries(before).filter(([name]) => name !== screen);
    if (views.length > 0) entries.push([screen, views]);
    if (entries.length > MOST_SCREENS)
      throw new ToolError(
        'conflict',
        `Views of at most ${MOST_SCREENS} screens are kept. Remove some first.`,
      );
    const text = toJson(Object.fromEntries(entries));
    if (Buffer.byteLength(text) > MOST_BYTES)
      throw new ToolError('conflict', 'Views of more than 1 MiB in all are not kept. Remove some first.');
    await save(tx, owner, { views: text });
  });
}

/** Leaves the first run, or comes back to it. */
export async function skipFirstRun(store: Store, owner: Owner, isSkipped: boolean): Promise<void> {
  await save(store, owner, { first_run_skipped_at: isSkipped ? Date.now() : null });
}

type Querying = Pick<Store, 'db'>;

async function deskOf(from: Querying, { organizationId, userId }: Owner): Promise<DeskRow | undefined> {
  return from
    .db<ConsoleTables>()
    .selectFrom('console_desks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

async function save(
  from: Querying,
  { organizationId, userId }: Owner,
  change: Partial<Pick<DeskRow, 'views' | 'first_run_skipped_at'>>,
): Promise<void> {
  const given = { ...change, updated_at: Date.now() };
  await from
    .db<ConsoleTables>()
    .insertInto('console_desks')
    .values({ organization_id: organizationId, user_id: userId, ...NO_DESK, ...given })
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet(given))
    .execute();
}

/** Looks how far somebody has come. */
export async function firstRunOf(
  { store, identity }: Pick<Host, 'store' | 'identity'>,
  caller: Caller,
): Promise<FirstRun> {
  const { organizationId } = caller;
  const owner = { organizationId, userId: caller.userId ?? '' };
  const [desk, account, call] = await Promise.all([
    deskOf(store, owner),
    identity.web.account(owner.userId),
    firstCall(store, organizationId),
  ]);
  const signIn = account !== undefined && (account.hasPassword || account.passkeys > 0);
  const client = call !== undefined || (await hasClient(store, organizationId));
  return {
    steps: {
      signIn,
      client,
      call:
        call === undefined
          ? null
          : {
              id: String(call.id),
              at: new Date(call.at).toISOString(),
              tool: call.tool,
              client: call.client,
            },
    },
    isDone: signIn && client && call !== undefined,
    isSkipped: desk !== undefined && desk.first_run_skipped_at !== null,
  };
}

// What a screen shows is one among the newest.
const LOOKED_AT = 200;

/** The newest call that came through of a client with a key: not of the console, a command, a schedule or the demo. */
async function firstCall(store: Store, organizationId: string): Promise<StoredCallRecord | undefined> {
  await store.records.flush();
  const newest = await store.records.list({ organizationId, limit: LOOKED_AT });
  return newest.find(
    ({ source, method, outcome, requestId }) =>
      method === 'tools/call' &&
      outcome === 'ok' &&
      (source === 'key' || source === 'stdio') &&
      !isDemoCall(requestId),
  );
}
