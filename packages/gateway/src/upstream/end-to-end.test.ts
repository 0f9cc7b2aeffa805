/** Real clients and real upstreams of both eras, with links in between: the four combinations, over HTTP. */
import { defineToolset } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { connect } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { serveWire } from '@parley/test-support/wire-upstream';
import type { WireScript, WireUpstream } from '@parley/test-support/wire-upstream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { targetOf } from '../../test/links-bed.ts';
import { served, servedTool, startBed } from '../../test/scripted-links.ts';
import { createLinks } from './links.ts';

const nothing = defineToolset({ name: 'nothing', title: 'Nothing', tools: [] });
const elicitation = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { said: { type: 'string' } } },
};
const answers = { ask: (message: string) => ({ said: message }) };
const COMBINATIONS = (['modern', 'legacy'] as const).flatMap((era) =>
  (['2026', '2025'] as const).map((upstream) => ({ era, upstream })),
);

/** A client of Parley, and the upstream behind it. */
async function through(era: 'modern' | 'legacy', script: WireScript, settings = {}) {
  const upstream = await serveWire(script);
  const egress = createEgress();
  const faults: unknown[] = [];
  const links = createLinks({
    egress,
    info: { name: 'parley', version: '0.0.0' },
    onFault: (error) => faults.push(error),
    limits: { firstBackoffMs: 10, lastBackoffMs: 50 },
  });
  const bed = startBed({ links, credentials: (_caller, { id }) => ({ target: targetFor(upstream, id) }) });
  bed.give('org_test', served('conn_1', { era: null, settings, tools: [servedTool('work')] }));
  const client = await connect(nothing, { era, answers, sources: [bed.gateway.source] });
  onTestFinished(async () => {
    await client.close();
    await bed[Symbol.asyncDispose]();
    await links.close();
    await egress.close();
    expect(faults).toEqual([]);
  });
  return { client, upstream, bed };
}

const targets = new WeakMap<WireUpstream, ReturnType<typeof targetOf>>();

function targetFor(upstream: WireUpstream, id: string) {
  const target = targets.get(upstream) ?? targetOf(upstream.url, { id });
  targets.set(upstream, target);
  return target;
}

describe.each(COMBINATIONS)('a $era client, an upstream of $upstream', ({ era, upstream: year }) => {
  test('a call, its progress and its answer', async () => {
    const { client, upstream } = await through(era, {
      era: year,
      methods: {
        'tools/call'(turn) {
          const progressToken = turn.message.params?._meta?.['progressToken'];
          turn.event({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
          turn.result({
            content: [{ type: 'text', text: JSON.stringify(turn.message.params?.['arguments']) }],
          });
        },
      },
    });
    const told: unknown[] = [];
    const call = { name: 'work', arguments: { a: [1] } };
    const answer = await client.raw.callTool(call, { onprogress: (progress) => told.push(progress) });
    expect(answer).toMatchObject({ content: [{ type: 'text', text: '{"a":[1]}' }] });
    expect(told).toEqual([{ progress: 1, total: 2 }]);
    expect(upstream.of('tools/call')).toHaveLength(1);
  });

  test('check 20: a question in the middle of a call', async () => {
    const { client, upstream } = await through(era, {
      era: year,
      methods: {
        async 'tools/call'(turn) {
          const say = (heard: unknown) =>
            turn.result({ content: [{ type: 'text', text: JSON.stringify(heard) }] });
          if (year === '2025') return say((await turn.ask('elicitation/create', elicitation)).result);
          const responses = turn.message.params?.['inputResponses'] as { name: unknown } | undefined;
          if (responses !== undefined) return say(responses.name);
          const inputRequests = { name: { method: 'elicitation/create', params: elicitation } };
          return turn.result({ resultType: 'input_required', inputRequests, requestState: 'mine' });
        },
      },
    });
    const answer = await client.raw.callTool({ name: 'work', arguments: {} });
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: '{"action":"accept","content":{"said":"Name?"}}' }],
    });
    expect(upstream.of('tools/call')).toHaveLength(year === '2026' ? 2 : 1);
  });

  test('check 22: a cancel', async () => {
    const seen = Promise.withResolvers<Promise<void>>();
    const { client, upstream } = await through(era, {
      era: year,
      methods: { 'tools/call': ({ closed }) => seen.resolve(closed) },
    });
    const control = new AbortController();
    const call = client.raw.callTool({ name: 'work', arguments: {} }, { signal: control.signal });
    const closed = seen.promise;
    await eventually(() => expect(upstream.of('tools/call')).toHaveLength(1));
    control.abort();
    await expect(call).rejects.toBeInstanceOf(Error);
    if (year === '2026') await closed;
    else
      await eventually(() => {
        const [called, cancelled] = [upstream.of('tools/call'), upstream.of('notifications/cancelled')];
        expect(cancelled.map(({ params }) => params?.['requestId'])).toEqual(called.map(({ id }) => id));
      });
  });

  test('check 5: a write that is cut off after progress has an unknown outcome, and was sent once', async () => {
    const { client, upstream } = await through(era, {
      era: year,
      methods: {
        'tools/call'(turn) {
          turn.event({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
          setImmediate(() => turn.response.destroy());
        },
      },
    });
    const answer = await client.raw.callTool({ name: 'work', arguments: {} });
    expect(answer).toMatchObject({
      isError: true,
      _meta: {
        'dev.parley/code': 'unavailable',
        'dev.parley/data': { reason: 'dropped', outcome: 'unknown' },
      },
    });
    expect(upstream.of('tools/call')).toHaveLength(1);
  });

  test('check 3: an upstream that hangs ends at the limit of its connection', async () => {
    const { client } = await through(
      era,
      { era: year, methods: { 'tools/call': () => undefined } },
      { callTimeoutMs: 200 },
    );
    expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject({
      isError: true,
      _meta: { 'dev.parley/code': 'timeout', 'dev.parley/data': { outcome: 'unknown' } },
    });
  });
});
