/** `parley connect change`, `enable`, `disable` and `virtual`, as they are typed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { describe, expect, test } from 'vitest';
import { connectBed, PROGRAM } from '../../test/connect-bed.ts';
import { call } from './call.ts';
import { connect } from './connect.ts';
import { keys } from './keys.ts';

const bed = connectBed();
const { json, refused, run } = bed;

describe('a change', () => {
  const settingsOf = async (id: string) => {
    const { out: text } = await run(call, ['COLLECTION_CONNECTIONS_GET', JSON.stringify({ id }), '--json']);
    return JSON.parse(text).structuredContent.item;
  };

  test('leaves all that it does not name, and the id', async () => {
    await using moved = await startUpstream({ era: '2026', tools: [plainTool('delta')] });
    const headers = ['--header', 'X-Key: canary-header-3', '--header', 'X-Team: blue'];
    const { said: made } = await json(
      'add',
      'notes',
      bed.upstream.url,
      ...headers,
      '--token',
      'canary-token-1',
    );
    const metadata = { gateway: { resultBudget: 5000 } };
    await run(call, ['COLLECTION_CONNECTIONS_UPDATE', JSON.stringify({ id: made.id, data: { metadata } })]);
    expect((await json('change', 'notes', '--pinning', 'flag', '--title', 'Notes')).said).toMatchObject({
      id: made.id,
      name: 'Notes',
      tools: ['alpha', 'beta', 'gamma'],
    });
    expect((await settingsOf(made.id)).metadata).toEqual({
      gateway: { resultBudget: 5000, pinning: 'flag' },
    });
    const { out: text } = await run(connect, [
      'change',
      made.id,
      '--url',
      moved.url,
      '--header',
      'x-team: red',
    ]);
    expect(text).toContain('Its stored token and headers go to the new address.');
    expect(text).not.toContain('canary');
    expect(moved.seen.at(-1)?.headers).toMatchObject({
      'x-key': 'canary-header-3',
      'x-team': 'red',
      authorization: 'Bearer canary-token-1',
    });
    expect(await json('test', 'Notes')).toMatchObject({ code: 0, said: { id: made.id, healthy: true } });
    await json('change', 'Notes', '--header', 'X-Key:', '--token', '');
    const { headers: last } = moved.seen.at(-1) ?? {};
    expect(last).toMatchObject({ 'x-team': 'red' });
    expect(last).not.toHaveProperty('x-key');
    expect(last).not.toHaveProperty('authorization');
    expect(await settingsOf(made.id)).toMatchObject({
      connection_headers: { headers: { 'x-team': '[secret]' } },
      metadata: { gateway: { resultBudget: 5000, pinning: 'flag' } },
    });
  });

  test('of a program starts it with its new variables, and as it was stored', async () => {
    const started = join(bed.home, 'started');
    const { said: made } = await json(
      'add',
      'files',
      '--env',
      'KEPT=1',
      '--',
      process.execPath,
      '-e',
      PROGRAM,
    );
    expect(existsSync(started)).toBe(false);
    const { said } = await json('change', 'files', '--env', `STARTED=${started}`);
    expect(said).toMatchObject({ id: made.id, tools: ['read_file', 'write_file'], error: null });
    expect(existsSync(started)).toBe(true);
    const { connection_headers } = await settingsOf(made.id);
    expect(connection_headers).toEqual({
      command: process.execPath,
      args: ['-e', PROGRAM],
      envVars: { KEPT: '[secret]', STARTED: '[secret]' },
    });
  });

  test('switches off and on again', async () => {
    const { said: made } = await json('add', 'notes', bed.upstream.url);
    for (const [action, status] of [
      ['disable', 'inactive'],
      ['disable', 'inactive'],
      ['enable', 'active'],
    ] as const) {
      expect(await json(action, 'notes')).toMatchObject({ code: 0, said: { id: made.id, status } });
      expect((await json('list')).said).toMatchObject([{ id: made.id, status, tools: made.tools }]);
    }
    expect((await run(connect, ['disable', 'notes'])).out).toContain(`"parley connect enable ${made.id}"`);
  });

  test('that cannot be is refused in words, and nothing is different', async () => {
    const { said: made } = await json('add', 'notes', bed.upstream.url);
    await json('add', 'other', bed.upstream.url);
    await json('add', 'files', '--', process.execPath, '-e', PROGRAM);
    const before = (await json('list')).said;
    const narrow = JSON.parse(
      (await run(keys, ['create', 'Narrow', '--grant', 'self:COLLECTION_CONNECTIONS_LIST', '--json'])).out,
    ).key as string;
    const scoped = JSON.parse(
      (
        await run(keys, [
          'create',
          'Scoped',
          '--grant',
          'self:COLLECTION_CONNECTIONS_LIST,COLLECTION_CONNECTIONS_UPDATE',
          '--json',
        ])
      ).out,
    ).key as string;
    const wrong: [string, string[], string][] = [
      ['nothing', ['change', 'notes'], 'Usage: parley connect change'],
      ['nobody', ['change'], 'Usage: parley connect change'],
      ['a stranger', ['change', 'nots', '--title', 'x'], 'There are: '],
      ['a taken name', ['change', 'notes', '--title', 'other'], 'There is a connection "other" already'],
      ['no address', ['change', 'notes', '--url', 'hush'], 'connection_url: must be an address'],
      ['Parley itself', ['change', 'notes', '--url', 'http://localhost:4680/mcp'], 'That is Parley itself'],
      ['a cloud', ['change', 'notes', '--url', 'http://169.254.169.254/mcp'], 'never reached from here'],
      ['a type of others', ['change', 'notes', '--type', 'ws'], '--type: must be'],
      ['a type of objects', ['change', 'notes', '--type', 'constructor'], '--type: must be'],
      ['a pinning of others', ['change', 'notes', '--pinning', 'hard'], '--pinning: must be one of'],
      ['a header without a name', ['change', 'notes', '--header', 'hush'], '--header: must look like'],
      [
        'a header of the protocol',
        ['change', 'notes', '--header', 'Host: x'],
        'is set by the connection itself',
      ],
      ['variables of an address', ['change', 'notes', '--env', 'A=hush'], '--env is for a program'],
      ['an address of a program', ['change', 'files', '--url', bed.upstream.url], '--url is for an address'],
      ['a token of a program', ['change', 'files', '--token', 'hush'], '--token is for an address'],
      ['another id', ['change', 'notes', '--id', 'x'], '--id says nothing to "parley connect change"'],
      ['a flag too many', ['enable', 'notes', '--title', 'x'], '--title says nothing to'],
      ['a key without the tool', ['change', 'notes', '--title', 'x', '--key', narrow], 'may not do that'],
      ['the same, off', ['disable', 'notes', '--key', narrow], 'may not do that'],
      [
        'a private address by who is no administrator',
        ['change', 'notes', '--url', 'http://127.0.0.1:9/mcp', '--key', scoped],
        'Only owners and administrators',
      ],
      [
        'a program by who is no administrator',
        ['change', 'files', '--env', 'A=hush', '--key', scoped],
        'Only owners and administrators',
      ],
    ];
    for (const [name, args, words] of wrong) {
      const text = await refused(...args);
      expect([name, text]).toEqual([name, expect.stringContaining(words)]);
      expect(text).not.toContain('hush');
    }
    expect((await json('list')).said).toEqual(before);
    expect((await settingsOf(made.id)).connection_headers).toBeNull();
  });
});

describe('a virtual MCP', () => {
  test('is made of connections by their names, listed, switched and removed', async () => {
    const { said: notes } = await json('add', 'My notes', bed.upstream.url);
    const { said: made } = await json('virtual', 'create', 'Reading', '--with', 'My notes:alpha,beta');
    expect(made).toMatchObject({
      name: 'Reading',
      status: 'active',
      members: [{ id: notes.id, name: 'My notes', tools: ['alpha', 'beta'] }],
      at: expect.stringMatching(/\/mcp\/virtual-mcp\/vir_\w+$/),
    });
    const { said: outer } = await json('virtual', 'create', 'Outer', '--with', 'Reading', '--with', notes.id);
    expect(outer.members).toMatchObject([
      { id: made.id, tools: null },
      { id: notes.id, tools: null },
    ]);
    const { out: listed } = await run(connect, ['virtual', 'list']);
    expect(listed).toMatch(
      /^NAME +ID +STATUS +MEMBERS +WHERE\nOuter .*\nReading +vir_\w+ +active +My notes \(2\) +http/,
    );
    expect((await json('list')).said).toMatchObject([{ name: 'My notes' }]);
    expect(await refused('virtual', 'remove', 'Reading')).toContain('It is used by "Outer"');
    for (const [action, status] of [
      ['disable', 'inactive'],
      ['enable', 'active'],
    ] as const)
      expect((await json('virtual', action, made.id)).said).toMatchObject({ id: made.id, status });
    for (const name of ['Outer', made.id])
      expect((await json('virtual', 'remove', name)).said).toMatchObject({ deleted: true });
    expect((await json('virtual', 'list')).said).toEqual([]);
  });

  test('gets and loses members and its name, and keeps what nobody named', async () => {
    const { said: notes } = await json('add', 'My notes', bed.upstream.url);
    const { said: more } = await json('add', 'More', bed.upstream.url);
    const { said: made } = await json('virtual', 'create', 'Reading', '--with', 'My notes:alpha');
    const changed = async (...flags: string[]) =>
      (await json('virtual', 'change', made.id, ...flags)).said as { name: string; members: unknown };
    const alpha = { id: notes.id, name: 'My notes', tools: ['alpha'] };
    expect(await changed('--with', 'More')).toMatchObject({
      name: 'Reading',
      members: [alpha, { id: more.id, tools: null }],
    });
    // One that is there already keeps its place, and has what is said now.
    expect((await changed('--with', 'My notes:alpha,beta')).members).toMatchObject([
      { id: notes.id, tools: ['alpha', 'beta'] },
      { id: more.id },
    ]);
    expect((await changed('--with', 'My notes')).members).toMatchObject([{ tools: null }, { id: more.id }]);
    expect(await changed('--title', 'Notes', '--without', 'My notes')).toMatchObject({
      name: 'Notes',
      members: [{ id: more.id }],
    });
    expect((await changed('--without', more.id)).members).toEqual([]);
    await json('virtual', 'create', 'Other', '--with', 'More');
    for (const [flags, words] of [
      [[], 'Usage: parley connect virtual'],
      [['--title', 'Other'], 'There is a virtual MCP "Other" already'],
      [['--without', 'More'], '--without: "More" is no member of Notes. There are: none.'],
      [['--with', 'nots'], '--with: there is no connection or virtual MCP "nots"'],
      [['--with', made.id], 'contain'],
    ] as const)
      expect(await refused('virtual', 'change', 'Notes', ...flags)).toContain(words);
    expect(await refused('virtual', 'disable', 'Notes', '--title', 'x')).toContain(
      '--title is for "parley connect virtual change"',
    );
    const { out: text } = await run(keys, ['create', 'Narrow', '--grant', 'self:TAGS_LIST', '--json']);
    expect(
      await refused('virtual', 'change', 'Notes', '--title', 'x', '--key', JSON.parse(text).key),
    ).toContain('may not do that');
  });

  test('that cannot be is refused in words, and none is made', async () => {
    await json('add', 'notes', bed.upstream.url);
    const { out: text } = await run(keys, ['create', 'Narrow', '--grant', 'self:TAGS_LIST', '--json']);
    const narrow = JSON.parse(text).key as string;
    const create = ['virtual', 'create', 'V'];
    const wrong: [string, string[], string][] = [
      ['nothing', ['virtual'], 'Usage: parley connect virtual'],
      ['an unknown action', ['virtual', 'make', 'V'], 'Usage: parley connect virtual'],
      ['a name for a list', ['virtual', 'list', 'V'], 'Usage: parley connect virtual'],
      ['no name', ['virtual', 'create', '--with', 'notes'], 'Usage: parley connect virtual'],
      ['no member', create, 'Usage: parley connect virtual'],
      [
        'an unknown member',
        [...create, '--with', 'nots'],
        '--with: there is no connection or virtual MCP "nots". There are: notes.',
      ],
      [
        'an unknown tool',
        [...create, '--with', 'notes:omega'],
        '--with: "notes" has no tool "omega". It has: alpha',
      ],
      ['no tool', [...create, '--with', 'notes:'], '--with: must look like'],
      [
        'one of a list',
        ['virtual', 'list', '--with', 'notes'],
        '--with is for "parley connect virtual create"',
      ],
      ['one of an add', ['add', 'x', bed.upstream.url, '--with', 'notes'], '--with says nothing to'],
      ['removing none', ['virtual', 'remove', 'V'], 'There is no virtual MCP "V". There is none yet.'],
      ['removing a connection', ['virtual', 'remove', 'notes'], 'There is no virtual MCP "notes"'],
      ['a key without the tool', [...create, '--with', 'notes', '--key', narrow], 'may not do that'],
      ['the same, listing', ['virtual', 'list', '--key', narrow], 'may not do that'],
    ];
    for (const [name, args, words] of wrong)
      expect([name, await refused(...args)]).toEqual([name, expect.stringContaining(words)]);
    expect((await json('virtual', 'list')).said).toEqual([]);
  });
});
