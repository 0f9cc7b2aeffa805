/** What notes cost the models that read them, counted by a real tokenizer. */
import { expect, test } from 'vitest';
import { shop, tokensOf } from './ordinary-notes.ts';

test('ten notes are at most 1,200 tokens, and all of it is there when asked for', async () => {
  await using scene = await shop();
  const { raw } = scene.agent;
  for (const [name, args] of [
    ['get_all_pending', {}],
    ['get_pending', { sessionId: scene.row.id }],
    ['watch_annotations', {}],
  ] as const) {
    const lean = await raw.callTool({ name, arguments: args });
    expect(tokensOf(lean), name).toBeLessThanOrEqual(1200);
    const full = await raw.callTool({ name, arguments: { ...args, detail: 'full' } });
    expect(JSON.stringify(full), name).toContain('computedStyles');
    expect(tokensOf(full), name).toBeGreaterThan(4130);
  }
});

test('to take a note up, talk about it and close it is at most 250 tokens', async () => {
  await using scene = await shop();
  const { raw, call } = { raw: scene.agent.raw, call: scene.agent.call };
  const id = (await call('get_all_pending', {})).annotations[0]?.id;
  let tokens = 0;
  for (const [name, args] of [
    ['acknowledge', { message: 'On it.' }],
    ['reply', { message: 'Which of the two shades of blue do you mean?' }],
    ['resolve', { summary: 'The button has the colour of the start page.' }],
  ] as const)
    tokens += tokensOf(await raw.callTool({ name, arguments: { id, ...args } }));
  expect(tokens).toBeLessThanOrEqual(250);
});
