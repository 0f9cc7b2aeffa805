/** Two members with documents of the same URIs: prompts and reads name each by the URI that it is shown under. */
import { modern, sendModern } from '@parley/test-support/wire';
import { describe, expect, test } from 'vitest';
import { openSession } from '../../test/session.ts';
import type { VirtualBed } from '../../test/virtual-bed.ts';
import { startVirtualBed } from '../../test/virtual-bed.ts';

const RESOURCES = ['docs://a', 'docs://f/{name}', 'ui://page/main'];
const LINKS = ['docs://f/x', 'ui://page/main', 'https://elsewhere.test/'];
/** What the second member's links are shown as, below the alias that it has there. */
const shownBelow = (alias: string) => [
  `parley://${alias}/docs%3A%2F%2Ff%2Fx`,
  `ui://${alias}/page/main`,
  'https://elsewhere.test/',
];

async function bundleIn(bed: VirtualBed): Promise<string> {
  await bed.serve(
    { id: 'conn_1', title: 'One', resources: RESOURCES, links: LINKS, prompts: ['first'] },
    { id: 'conn_2', title: 'Two', resources: RESOURCES, links: LINKS, prompts: ['second'] },
  );
  const connections = ['conn_1', 'conn_2'].map((connection_id) => ({ connection_id }));
  return (await bed.made({ connections })).id;
}

interface Message {
  readonly content: { readonly uri?: string; readonly resource?: { readonly uri: string } };
}

describe.each(['modern', 'legacy'] as const)('to a %s client', (era) => {
  async function asking(bed: VirtualBed, path: string) {
    const to = { port: bed.gateway.port, key: bed.gateway.ownerKey, path };
    const session = era === 'legacy' ? await openSession(to) : undefined;
    return async (method: string, params: Record<string, unknown>) =>
      (await (session?.request(method, params) ?? sendModern(to, modern(method, params)))).json.result;
  }

  test.each([
    ['a virtual MCP', (id: string) => `/mcp/virtual-mcp/${id}`, 'two'],
    ['everything', () => '/mcp', 'conn_2'],
  ])('at %s', async (_name, pathOf, alias) => {
    await using bed = await startVirtualBed();
    const ask = await asking(bed, pathOf(await bundleIn(bed)));
    const namedBy = async (name: string) => {
      const { messages } = (await ask('prompts/get', { name })) as { messages: readonly Message[] };
      return messages.flatMap(({ content: { uri, resource } }) => uri ?? resource?.uri ?? []);
    };
    const readAs = async (uri: string) =>
      ((await ask('resources/read', { uri })).contents as { uri: string }[]).map((content) => content.uri);
    const shown = shownBelow(alias);
    expect(await namedBy('first')).toEqual(LINKS.flatMap((uri) => [uri, uri]));
    expect(await namedBy('second')).toEqual(shown.flatMap((uri) => [uri, uri]));
    expect(await readAs('docs://a')).toEqual(['docs://a', ...LINKS]);
    const other = `parley://${alias}/docs%3A%2F%2Fa`;
    expect(await readAs(other)).toEqual([other, ...shown]);
  });
});
