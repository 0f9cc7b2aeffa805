/** `parley connect import`, as it is typed: the files of other clients become connections. */
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { connectBed, program } from '../../test/connect-bed.ts';
import { connect } from './connect.ts';

const bed = connectBed();
const { file, json, refused, run } = bed;

describe('an import', () => {
  const outcomes = async (...args: string[]) => {
    const { code, said } = await json('import', ...args);
    return [code, said.map(({ name, outcome }: { name: string; outcome: string }) => [name, outcome])];
  };

  test('takes over what Claude Desktop has, and tells what became of each', async () => {
    const started = join(bed.home, 'started');
    const config = {
      mcpServers: {
        files: program({ STARTED: started, API_KEY: 'canary-variable-1' }),
        notes: { url: bed.upstream.url, headers: { Authorization: 'Bearer canary-header-2' } },
        off: { command: 'x', disabled: true },
        parley: { command: 'npx', args: ['parley', 'mcp'] },
        odd: { type: 'ws', url: 'wss://x.example' },
        bad: { url: 'https://x.example', headers: { Host: 'y' } },
      },
    };
    file('.config/Claude/claude_desktop_config.json', config);
    const dry = await run(connect, ['import', '--from', 'claude-desktop', '--dry-run']);
    expect(dry.out).toMatch(/^would add +files +the program /m);
    expect(dry.out).toMatch(/^would add +notes +HTTP http/m);
    expect((await json('list')).said).toEqual([]);
    const first = await run(connect, ['import', '--from', 'claude-desktop']);
    expect(first.code).toBe(1);
    expect(first.out).toMatch(/^added +files +2 tools$/m);
    expect(first.out).toMatch(/^added +notes +3 tools$/m);
    expect(first.out).toMatch(/^skipped +off +it is switched off/m);
    expect(first.out).toMatch(/^skipped +parley +it is Parley itself$/m);
    expect(first.out).toMatch(/^failed +odd +its type "ws"/m);
    expect(first.out).toMatch(
      /^failed +bad +connection_headers\.headers\.Host: is set by the connection itself/m,
    );
    for (const text of [dry.out, first.out]) expect(text).not.toContain('canary');
    expect((await json('list')).said.map(({ name }: { name: string }) => name)).toEqual(['files', 'notes']);

    // The second time only what changed is taken, and only when it shall replace the other.
    const only = ['--from', 'claude-desktop', '--only', 'files,notes'];
    expect(await outcomes(...only)).toEqual([
      0,
      [
        ['files', 'skipped'],
        ['notes', 'skipped'],
      ],
    ]);
    const before = (await json('list')).said;
    expect(await outcomes(...only, '--replace')).toEqual([
      0,
      [
        ['files', 'replaced'],
        ['notes', 'replaced'],
      ],
    ]);
    expect((await json('list')).said).toEqual(before);
    expect(await refused('import', '--from', 'claude-desktop', '--only', 'filez')).toContain(
      'There are: files',
    );
  });

  test('knows the entry that the console gives for Claude Desktop, and fills in what stands in its own env', async () => {
    const args = ['-y', 'mcp-remote', 'http://localhost:4680/mcp', '--header', 'Authorization:${AUTH}'];
    const env = { AUTH: 'Bearer canary-variable-2' };
    const other = { ...program(env), args: [...program().args, '${AUTH}'] };
    const path = file('servers.json', { mcpServers: { ours: { command: 'npx', args, env }, other } });
    const { code, out } = await run(connect, ['import', path]);
    expect(out).toMatch(/^skipped +ours +it is Parley itself$/m);
    expect(out).toMatch(/^added +other +2 tools$/m);
    expect(code).toBe(0);
    expect(out).not.toContain('canary');
  });

  test('a dry run refuses an address that the true run would', async () => {
    const path = file('servers.json', { mcpServers: { wrong: { url: 'htp://x' } } });
    const { code, out } = await run(connect, ['import', path, '--dry-run']);
    expect(code).toBe(1);
    expect(out).toMatch(/^failed +wrong +connection_url: must be an address like https:/m);
  });

  test('reads the files of the other clients', async () => {
    vi.stubEnv('NOTES_URL', bed.upstream.url);
    vi.spyOn(process, 'cwd').mockReturnValue(join(bed.home, 'project'));
    const notes = { type: 'http', url: '${NOTES_URL}' };
    file('.claude.json', {
      mcpServers: { user: notes },
      projects: { '/elsewhere': { mcpServers: { user: notes, local: notes } } },
    });
    file('project/.mcp.json', { mcpServers: { project: notes, unset: { url: '${NONE_SUCH}' } } });
    file('.cursor/mcp.json', { mcpServers: { cursor: { url: '${env:NOTES_URL}' } } });
    const inputs = [{ id: 'key', type: 'promptString', description: 'Your key', password: true }];
    file(
      'project/.vscode/mcp.json',
      `{ /* mine */ "inputs": ${JSON.stringify(inputs)}, "servers": { "code": { "url": "${bed.upstream.url}" }, "asks": { "command": "x", "env": { "K": "\${input:key}" } }, } }`,
    );
    expect(await outcomes('--from', 'claude-code')).toEqual([
      1,
      [
        ['user', 'added'],
        ['user', 'skipped'],
        ['local', 'added'],
        ['project', 'added'],
        ['unset', 'failed'],
      ],
    ]);
    expect(await outcomes('--from', 'cursor')).toEqual([0, [['cursor', 'added']]]);
    const gone = await run(connect, [
      'import',
      file('gone.json', { gone: { url: 'http://127.0.0.1:9/mcp' } }),
    ]);
    expect(gone.code).toBe(1);
    expect(gone.out).toMatch(/^added +gone +no known tools yet; it could not be asked: /m);
    const { code, said } = await json('import', '--from', 'vscode');
    expect([code, said]).toMatchObject([
      1,
      [
        { name: 'code', outcome: 'added', tools: 3 },
        { name: 'asks', outcome: 'failed', message: expect.stringContaining('asks for "Your key"') },
      ],
    ]);
  });

  test('of what cannot be read says so', async () => {
    const wrong: [string, () => string[], string][] = [
      ['nothing to read', () => ['import'], 'Say what to import'],
      ['a client of others', () => ['import', '--from', 'emacs'], '--from: must be one of'],
      ['a client without files', () => ['import', '--from', 'cursor'], 'No servers were found. Looked at: '],
      ['a file that is not there', () => ['import', join(bed.home, 'none.json')], 'There is no file /'],
      ['a folder', () => ['import', bed.home], 'is not a file'],
      [
        'a file that is too large',
        () => ['import', file('a.json', ' '.repeat(1024 * 1024 + 1))],
        'more than 1048576',
      ],
      [
        'too many servers',
        () => [
          'import',
          file(
            'a.json',
            Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`s${n}`, { command: 'x' }])),
          ),
        ],
        'more than 200 servers',
      ],
    ];
    for (const [name, args, words] of wrong)
      expect([name, await refused(...args())]).toEqual([name, expect.stringContaining(words)]);
  });
});
