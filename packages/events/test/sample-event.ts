/** One event with data of a test's choice. */
import type { CloudEvent } from '../src/cloud-event.ts';

export const event = (data: unknown): CloudEvent => ({
  specversion: '1.0',
  id: 'evt_1',
  source: 'shop',
  type: 'order.paid',
  time: '2030-01-01T00:00:00.000Z',
  datacontenttype: 'application/json',
  data,
  parleyseq: 1,
});
