/** A call record to store, for tests. */
import type { NewCallRecord } from '../src/records/record-table.ts';

/** A good call of now; tests change what they look at. */
export function callRecord(changed: Partial<NewCallRecord> = {}): NewCallRecord {
  const who = {
    organizationId: 'org_a',
    callerId: 'key_1',
    userId: null,
    source: 'key',
    client: null,
    requestId: null,
  };
  const what = {
    toolset: 'notes',
    tool: 'note_list',
    method: 'tools/call',
    effect: 'read',
    outcome: 'ok',
    code: null,
  } as const;
  return { ...who, ...what, at: Date.now(), durationUs: 1, era: '2026-07-28', ...changed };
}
