/** What is read of the files of clients: shapes, variables, and what cannot be taken over. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ClientKind } from './entries.ts';
import { entriesIn } from './entries.ts';
import { wantedOf } from './plan.ts';
import { inputsIn, neededBy } from './variables.ts';

const VARIABLES: Readonly<Record<string, string>> = { TOKEN: 'secret-1', HOST: 'api.example.com' };
const values = {
  variable: (name: string) => VARIABLES[name],
  answers: new Map([['key', 'typed']]),
  home: homedir(),
};

function read(content: unknown, client: ClientKind = 'any', folder?: string) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return entriesIn(text, { client, from: '/files/mcp.json', ...(folder !== undefined && { folder }) });
}

/** The one server of a file, as it would be stored. */
function wanted(fields: object, client: ClientKind = 'any', folder?: string) {
  const [entry] = read({ mcpServers: { one: fields } }, client, folder);
  if (entry === undefined) throw new Error('no entry');
  return wantedOf(entry, values).to;
}

describe('servers are found in every shape', () => {
  const server = { command: 'node', args: ['a.js'] };
  test.each<[string, unknown, string[]]>([
    ['of Claude Desktop', { mcpServers: { a: server, b: server } }, ['a', 'b']],
    ['of VS Code', { servers: { a: server }, inputs: [] }, ['a']],
    ['of the older settings of VS Code', { mcp: { servers: { a: server } } }, ['a']],
    [
      'of Claude Code, with projects',
      { mcpServers: { a: server }, projects: { '/p': { mcpServers: { b: server } } } },
      ['a', 'b'],
    ],
    ['as a bare map', { a: server, b: { url: 'https://x.example' } }, ['a', 'b']],
    ['with comments', '{ // mine\n "servers": { "a": { "command": "x", }, }, }', ['a']],
    ['without any', { mcpServers: {} }, []],
    [
      'with names that every object has',
      '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"}}}',
      ['__proto__', 'constructor'],
    ],
  ])('%s', (_name, content, names) => {
    expect(read(content).map(({ name }) => name)).toEqual(names);
  });

  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{"mcpServers": {"a": {"env": {"KEY": "hush"}}', /is not valid JSON/],
    ['a list', [], /holds no JSON object/],
    ['one server without a name', { command: 'node' }, /without a name/],
    ['nothing like servers', { theme: 'dark' }, /names no servers/],
  ])('%s is refused in words, without saying it back', (_name, content, words) => {
    expect(() => read(content)).toThrow(words);
    expect(() => read(content)).not.toThrow(/hush/);
  });
});

describe('an entry becomes a connection', () => {
  test.each<[string, object, object]>([
    [
      'a program',
      { command: 'npx', args: ['-y', 'x', 8], env: { N: 1, OFF: null } },
      { type: 'STDIO', program: { command: 'npx', args: ['-y', 'x', '8'], env: { N: '1' } } },
    ],
    [
      'an address',
      { url: 'https://x.example/mcp' },
      { type: 'HTTP', url: 'https://x.example/mcp', headers: {} },
    ],
    ['an address that says sse by its end', { url: 'https://x.example/v1/sse' }, { type: 'SSE' }],
    ['an address that says its type', { type: 'http', url: 'https://x.example/sse' }, { type: 'HTTP' }],
    ['the longer name of it', { type: 'streamable-http', url: 'https://x.example' }, { type: 'HTTP' }],
    [
      'headers',
      { type: 'sse', url: 'https://x.example', headers: { 'X-Key': '1' } },
      { type: 'SSE', headers: { 'X-Key': '1' } },
    ],
    ['other names of the address', { serverUrl: 'https://x.example' }, { url: 'https://x.example' }],
  ])('%s', (_name, fields, expected) => {
    expect(wanted(fields)).toMatchObject(expected);
  });

  test.each<[string, object, RegExp]>([
    ['neither command nor address', {}, /neither a command nor an address/],
    ['a program without a command', { type: 'stdio', url: 'https://x.example' }, /neither a command/],
    ['a type of others', { type: 'ws', url: 'wss://x.example' }, /its type "ws" is none/],
    ['arguments that are no list', { command: 'x', args: 'a b' }, /args: must be a list/],
    ['arguments that are no texts', { command: 'x', args: [{}] }, /args: must hold texts/],
    ['variables that are no map', { command: 'x', env: ['A=1'] }, /env: must be a map/],
    ['variables in a file', { command: 'x', envFile: '.env' }, /envFile/],
    ['headers of a program', { url: 'https://x.example', headersHelper: 'x' }, /headersHelper/],
  ])('%s is refused', (_name, fields, words) => {
    expect(() => wanted(fields)).toThrow(words);
  });
});

describe('variables are filled in as each client does', () => {
  const text = (given: string, client: ClientKind, folder?: string) => {
    const to = wanted({ command: given }, client, folder);
    return 'program' in to ? to.program.command : undefined;
  };
  test.each<[ClientKind, string, string]>([
    ['claude-code', '${TOKEN}-${NONE:-else}', 'secret-1-else'],
    ['claude-code', '${NONE:-}', ''],
    ['claude-code', '${env:TOKEN}', '${env:TOKEN}'],
    ['claude-desktop', '${TOKEN} ${env:TOKEN} ${input:key}', '${TOKEN} ${env:TOKEN} ${input:key}'],
    ['cursor', '${env:HOST}/${workspaceFolderBasename}', 'api.example.com/project'],
    ['cursor', '${TOKEN}', '${TOKEN}'],
    ['vscode', '${input:key}:${workspaceFolder}', 'typed:/home/me/project'],
    ['vscode', '${userHome}', homedir()],
    ['any', '${TOKEN}${env:HOST}${input:key}', 'secret-1api.example.comtyped'],
    ['any', '${not a name} $TOKEN ${}', '${not a name} $TOKEN ${}'],
  ])('%s: %s', (client, given, expected) => {
    expect(text(given, client, '/home/me/project')).toBe(expected);
  });

  test.each<[ClientKind, string, RegExp]>([
    ['claude-code', '${NONE}', /needs the variable NONE, which is not set here/],
    ['cursor', '${env:NONE}', /needs the variable NONE/],
    ['vscode', '${input:other}', /asks for "other"/],
    ['vscode', '${workspaceFolder}', /names the workspace folder/],
  ])('%s: %s cannot be', (client, given, words) => {
    expect(() => text(given, client)).toThrow(words);
  });

  test('in addresses, headers, arguments and variables alike', () => {
    expect(
      wanted({ url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } }, 'claude-code'),
    ).toMatchObject({ url: 'https://api.example.com/mcp', headers: { Authorization: 'Bearer secret-1' } });
    expect(wanted({ command: 'x', args: ['${TOKEN}'], env: { A: '${HOST}' } }, 'claude-code')).toMatchObject({
      program: { args: ['secret-1'], env: { A: 'api.example.com' } },
    });
  });

  test('what has to be asked for is known before', () => {
    const [entry] = read({
      inputs: [{ id: 'key', description: 'Your key', password: true }, { id: 7 }],
      servers: { a: { command: 'x', env: { A: '${input:key}', B: '${input:key}${input:b}' } } },
    });
    expect(entry === undefined ? [] : inputsIn(entry)).toEqual(['key', 'b']);
    expect(entry?.inputs).toEqual(new Map([['key', { id: 'key', description: 'Your key', isSecret: true }]]));
  });
});

test('a program of a project in the home starts in its folder, and one elsewhere does not', () => {
  const own = join(homedir(), 'project');
  expect(wanted({ command: 'x' }, 'cursor', own)).toMatchObject({ program: { cwd: own } });
  expect(wanted({ command: 'x', cwd: 'sub' }, 'vscode', own)).toMatchObject({
    program: { cwd: join(own, 'sub') },
  });
  expect(wanted({ command: 'x' }, 'cursor', '/elsewhere')).not.toHaveProperty('program.cwd');
});

test('all that a file leaves open is known before, with what holds where nothing is given', () => {
  const fields = {
    command: '${userHome}/run',
    args: ['${workspaceFolderBasename}', '${/}'],
    env: { A: '${TOKEN}', B: '${env:TOKEN}', C: '${PORT:-80}', D: '${input:key}', E: '${not a name}' },
  };
  const needed = (client: ClientKind) => {
    const [entry] = read(
      { servers: { a: fields }, inputs: [{ id: 'key', description: 'Your key' }] },
      client,
    );
    return entry === undefined ? [] : neededBy(entry);
  };
  const open = { isSecret: true, fallback: null };
  const port = { name: 'PORT', description: 'PORT', isSecret: true, fallback: '80' };
  expect(needed('any')).toEqual([
    { name: 'userHome', description: 'userHome', isSecret: false, fallback: null },
    { name: 'workspaceFolder', description: 'workspaceFolder', isSecret: false, fallback: null },
    { name: 'TOKEN', description: 'TOKEN', ...open },
    port,
    { name: 'input:key', description: 'Your key', isSecret: false, fallback: null },
  ]);
  expect(needed('claude-desktop')).toEqual([]);
  expect(needed('cursor').map(({ name }) => name)).toEqual(['userHome', 'workspaceFolder', 'TOKEN']);
});
