/** Notes of the first version are brought forward with their threads. */
import { connect } from '@parley/kit/testing';
import { onBothEngines } from '@parley/store/testing';
import type { Store } from '@parley/store';
import { toJson } from '@parley/store';
import { expect, test } from 'vitest';
import { DIFF, note, openDesk, ORGANIZATION, STRANGER } from '../../test/notes.ts';
import type { AnnotationRow, AnnotationTables } from '../schema.ts';
import { annotationsToolset } from '../toolset.ts';
import { annotationMigrations } from './index.ts';

type Later =
  | 'holder_id'
  | 'holder_client'
  | 'holder_connection'
  | 'lease_until'
  | 'shown_replies'
  | 'edited_at';
type FirstTables = Omit<AnnotationTables, 'annotations'> & { annotations: Omit<AnnotationRow, Later> };

const HOUR_MS = 3_600_000;

async function oldNotes(store: Store, takenAt: Record<string, number>) {
  const { '001-annotations': first } = annotationMigrations.migrations;
  await store.migrate([{ name: 'annotations', migrations: { '001-annotations': first! } }]);
  const db = store.db<FirstTables>();
  const page = { id: 'ses_1', organization_id: ORGANIZATION, project_id: 'default', page_token_id: 'pt_1' };
  const place = {
    origin: 'http://localhost',
    url: '/',
    title: '',
    viewport: '{}',
    user_agent: '',
    framework: 'none',
  };
  const times = { created_at: 1, last_seen_at: 1, live_until: 1 };
  await db
    .insertInto('annotation_sessions')
    .values({ ...page, ...place, ...times, token_hash: 'h', auto_approve: 0, last_number: 2 })
    .execute();
  const { clientId: _id, annotationText, intent, severity, ...captured } = note();
  for (const [id, updated_at] of Object.entries(takenAt)) {
    await db
      .insertInto('annotations')
      .values({
        id,
        organization_id: ORGANIZATION,
        session_id: 'ses_1',
        client_id: id,
        number: Number(id.at(-1)),
        status: 'acknowledged',
        annotation_text: annotationText,
        intent,
        severity,
        captured: toJson(captured),
        screenshot_id: null,
        diff: null,
        diff_revision: 0,
        diff_response: null,
        diff_words: null,
        acknowledged_by: toJson({ name: 'Owner key', source: 'key' }),
        resolved_by: null,
        resolved_at: null,
        created_at: 1,
        updated_at,
      })
      .execute();
  }
}

/** What a process of the first version writes: it knows no columns of leases. */
async function takeUpAsBefore(store: Store, id: string, updated_at: number, holder_id: string | null = null) {
  const acknowledged_by = toJson({ name: 'Owner key', source: 'key' });
  await store
    .db<AnnotationTables>()
    .updateTable('annotations')
    // The last holder may still be named.
    .set({ status: 'acknowledged', acknowledged_by, lease_until: null, holder_id, updated_at })
    .where('id', '=', id)
    .execute();
}

onBothEngines('migrations', (open) => {
  test('a note that was taken up before leases were is not held for ever', async () => {
    const store = await open();
    const now = Date.now();
    await oldNotes(store, { ann_1: now - 10 * HOUR_MS, ann_2: now });
    const desk = await openDesk(store, { now: () => now });
    const pending = () => desk.services.notes.pending({ organizationId: ORGANIZATION });
    expect((await pending()).annotations).toMatchObject([
      { id: 'ann_1', replies: [{ message: expect.stringContaining('Owner key') }] },
    ]);
    expect(await desk.services.notes.get(ORGANIZATION, 'ann_2')).toMatchObject({ status: 'acknowledged' });
  });

  test('a note that an older process takes up after the upgrade is not held for ever', async () => {
    const store = await open();
    const clock = { now: Date.now() };
    const desk = await openDesk(store, { now: () => clock.now });
    const { id } = await desk.note();
    const untouched = await desk.note();
    await takeUpAsBefore(store, id, clock.now);
    const statusOf = async () => (await desk.services.notes.get(ORGANIZATION, id)).status;
    clock.now += HOUR_MS / 2 - 1;
    await desk.services.leases.beat();
    expect(await statusOf()).toBe('acknowledged');
    clock.now += 1;
    await desk.services.leases.beat();
    expect(await statusOf()).toBe('pending');
    const { replies } = await desk.services.notes.get(ORGANIZATION, id);
    expect(replies).toMatchObject([{ authorName: 'Parley', message: expect.stringContaining('Owner key') }]);
    expect((await desk.services.notes.get(ORGANIZATION, untouched.id)).replies).toEqual([]);
    await takeUpAsBefore(store, id, clock.now - HOUR_MS);
    const { annotations } = await desk.services.notes.pending({ organizationId: ORGANIZATION });
    expect(annotations.map((pending) => pending.id)).toEqual([id, untouched.id]);
    expect(desk.faults).toEqual([]);
  });

  const takings: [string, (store: Store, now: number) => Promise<unknown>][] = [
    ['before the upgrade', async () => undefined],
    ['by an older process after it', (store, now) => takeUpAsBefore(store, 'ann_1', now, 'key_before')],
  ];
  const closings: [string, Record<string, unknown>, string][] = [
    ['resolve', { summary: 'Done' }, 'resolved'],
    ['dismiss', { reason: 'Not now' }, 'dismissed'],
    ['propose_diff', { diff: DIFF }, 'diff_proposed'],
  ];
  test.each(
    takings.flatMap(([when, take]) =>
      closings.map(([tool, args, status]) => ({ when, take, tool, args, status })),
    ),
  )(
    'a note that was taken up $when is not kept from the agent that works on it: $tool',
    async ({ take, tool, args, status }) => {
      const store = await open();
      const now = Date.now();
      await oldNotes(store, { ann_1: now });
      const desk = await openDesk(store, { now: () => now });
      await take(store, now);
      const { services } = desk;
      await using stranger = await connect(annotationsToolset, { services, as: STRANGER });
      await using agent = await connect(annotationsToolset, { services, client: 'left' });
      await using other = await connect(annotationsToolset, { services, client: 'right' });
      const act = (who: typeof agent) =>
        who.raw.callTool({ name: tool, arguments: { id: 'ann_1', ...args } });
      expect(await act(stranger)).toMatchObject({ isError: true });
      expect(await act(agent)).toMatchObject({ structuredContent: { id: 'ann_1', status } });
      if (status !== 'diff_proposed') return;
      expect(await other.attempt('resolve', { id: 'ann_1' })).toMatchObject({ ok: false, code: 'conflict' });
      expect((await agent.call('get_mine', {})).annotations).toMatchObject([{ id: 'ann_1' }]);
    },
  );
});
