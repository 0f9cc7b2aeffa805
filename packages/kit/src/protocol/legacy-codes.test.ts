/** The code of an unknown resource, as a 2025 client gets it on the wire. */
import { expect, test } from 'vitest';
import { restored } from './legacy-codes.ts';

const failed = (code: number, data?: unknown) => ({
  jsonrpc: '2.0' as const,
  id: 1,
  error: { code, message: 'Resource not found: x://y', ...(data !== undefined && { data }) },
});

test('an unknown resource gets the code of its revision', () => {
  expect(restored(failed(-32602, { uri: 'x://y' }))).toEqual(failed(-32002, { uri: 'x://y' }));
});

test.each([
  ['another fault in the parameters', failed(-32602)],
  ['a fault of ours', failed(-32603, { uri: 'x://y' })],
  ['a result', { jsonrpc: '2.0' as const, id: 1, result: { uri: 'x://y' } }],
  ['a notice', { jsonrpc: '2.0' as const, method: 'notifications/message' }],
])('%s stays as it is', (_name, message) => {
  expect(restored(message)).toBe(message);
});
