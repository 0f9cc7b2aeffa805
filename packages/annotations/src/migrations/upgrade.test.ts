/** Notes of the first version are brought forward with their threads. */
import { onBothEngines } from '@parley/store/testing';
import type { Store } from '@parley/store';
import { toJson } from '@parley/store';
import { expect, test } from 'vitest';
import { note, openDesk, ORGANIZATION } from '../../test/notes.ts';
import type { AnnotationRow, AnnotationTables } from '../schema.ts';
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
});
