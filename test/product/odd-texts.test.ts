/** Texts that nobody means: U+0000, half a surrogate pair and nothing at all. Every place of every tool refuses them or takes them, and none fails. */
import type { StoreEngine } from '@parley/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { message, post } from './mcp-messages.ts';
import type { OddTextsBed } from './odd-texts-bed.ts';
import { openOddTexts } from './odd-texts-bed.ts';
import type { ListedTool } from './text-places.ts';
import { textPlaces } from './text-places.ts';

/** A place for the id of something here, or for one of several; `app_id` is a name that others gave. */
const IS_ID = /(?<!app)_id$|(^|\.)id$|Id$|Ids\[\]$/;

describe.each<StoreEngine>(['sqlite', 'postgres'])('odd texts on %s', (engine) => {
  let bed: OddTextsBed;
  let mcp: string;
  let key: string;
  let tools: readonly ListedTool[];

  beforeAll(async () => {
    bed = await openOddTexts(engine);
    ({ mcp, key } = bed);
    const { body } = await post(mcp, key, message(1, 'tools/list'));
    tools = (body.result as unknown as { tools: ListedTool[] }).tools;
  });
  afterAll(() => bed.close());

  test.each([
    ['nothing', '', undefined],
    ['U+0000', 'a\u0000b', 'must not contain the character U+0000'],
    ['half a surrogate pair', 'a\ud83db', 'must not contain half of a surrogate pair'],
  ])('%s makes an internal error of no field of any tool', async (_name, text, refusal) => {
    let asked = 0;
    const faults: string[] = [];
    for (const tool of tools)
      for (const place of textPlaces(tool)) {
        const quick = 'timeoutMs' in (tool.inputSchema.properties ?? {}) ? { timeoutMs: 0 } : {};
        const args = { ...place.arguments(text), ...quick };
        const call = message(++asked, 'tools/call', { name: tool.name, arguments: args });
        const { body, text: answer } = await post(mcp, key, call);
        const code = body.error?.code ?? body.result?._meta?.['dev.parley/code'];
        const mustRefuse = refusal !== undefined || IS_ID.test(place.path);
        const isWrong = code === -32603 || code === 'invalid_output' || (mustRefuse && code !== 'invalid');
        if (isWrong) faults.push(`${tool.name} ${place.path}: ${answer.slice(0, 300)}`);
      }
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(200);
  });

  test('no address of a document makes an internal error of it', async () => {
    const addresses = [
      'parley://annotations/%00',
      'parley://annotations/sessions/a%00b',
      'parley://annotations/a\u0000/markdown',
      'parley://events/%ED%A0%BD',
      'parley://events/',
    ];
    for (const uri of addresses) {
      const { body } = await post(mcp, key, message(1, 'resources/read', { uri }), {
        'mcp-name': `=?base64?${Buffer.from(uri).toString('base64')}?=`,
      });
      expect(body.error?.code, uri).toBe(-32602);
    }
  });
});
