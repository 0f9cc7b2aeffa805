/** Callers that use the same ids at the same time get their own answers and nothing of each other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../test/session.ts';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modernCall, sendModern } from '@parley/test-support/wire';

const TENANTS = 20;
const ROUNDS = 10;
let gateway: TestGateway;
let tenants: { name: string; to: { port: number; key: string }; organizationId: string }[];

beforeAll(async () => {
  gateway = await startGateway();
  tenants = [];
  for (let index = 0; index < TENANTS; index += 1) {
    const name = `canary-${index}-`;
    const { text, caller } = await gateway.stranger(`tenant-${index}`);
    tenants.push({ name, to: { port: gateway.port, key: text }, organizationId: caller.organizationId });
  }
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

/** Every tenant calls at once with the same ids; each answer must hold the own canary and no other. */
async function expectOwnAnswers(
  call: (index: number, text: string, id: number) => Promise<{ text: string }>,
): Promise<void> {
  const calls = tenants.flatMap(({ name }, index) =>
    Array.from({ length: ROUNDS }, async (_, id) => ({
      name,
      answer: await call(index, `${name}${id}`, id),
    })),
  );
  for (const { name, answer } of await Promise.all(calls)) {
    expect(answer.text).toContain(name);
    expect(answer.text.match(/canary-\d+-/g)?.every((found) => found === name)).toBe(true);
  }
}

test.each([
  ['the hot path', {}],
  ['the SDK path', { progressToken: 1 }],
])('check 25: equal ids at the same time do not mix on %s', async (_name, meta) => {
  await expectOwnAnswers((index, text, id) =>
    sendModern(tenants[index]!.to, modernCall('echo', { text }, { id, meta })),
  );
});

test('check 25: equal ids at the same time do not mix between 2025 sessions', async () => {
  const sessions: Session[] = await Promise.all(tenants.map(({ to }) => openSession(to)));
  await expectOwnAnswers((index, text, id) =>
    sessions[index]!.request('tools/call', { name: 'echo', arguments: { text } }, id),
  );
});

test('each tenant has its own records and only those', async () => {
  for (const { organizationId } of tenants) {
    const records = await gateway.records(organizationId);
    expect(records).toHaveLength(3 * ROUNDS);
    expect(new Set(records.map((record) => record.organizationId))).toEqual(new Set([organizationId]));
  }
});
