/** What the overlay knows of a note while it turns from one that waits into one of the server. */
import { expect, test } from 'vitest';
import type { PageAnnotation } from '../../shapes.ts';
import { createState, localId } from './state.ts';

/** As much of a note as is looked at here. */
const note = (fields: Partial<PageAnnotation>): PageAnnotation =>
  ({ clientId: 'c1', number: 1, status: 'pending', ...fields }) as PageAnnotation;

test('a note is found by the id that it had until the server numbered it', () => {
  const state = createState(() => undefined);
  const payload = note({});
  state.setWaiting([{ id: 'm1', message: { type: 'annotation:create', id: 'm1', payload }, wasSent: true }]);
  expect(state.find(localId('c1'))).toMatchObject({ id: localId('c1') });
  const annotation = note({ id: 'ann_1' });
  state.apply({ type: 'annotation:created', payload: { annotation, seq: 1 } });
  // A pin that was not drawn since asks by the old one.
  expect(state.find(localId('c1'))).toBe(annotation);
  expect(state.find('ann_1')).toBe(annotation);
  expect(state.find(localId('c2'))).toBeUndefined();
});
