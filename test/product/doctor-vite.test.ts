/** `parley doctor` in a Vite project: its advice fits, and what it hands out connects as it stands. */
import { cpSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectWith } from '../vite/connect-agent.ts';
import { ensureBuilt } from './build.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

interface Check {
  readonly name: string;
  readonly state: string;
  readonly found: string;
  readonly fix?: string;
}

let folder: ReturnType<typeof scratchFolder>;

// An installation, of which each test has a copy.
const made = scratchFolder();
const install = (path: string) =>
  cpSync(join(made.path, '.parley'), join(path, '.parley'), { recursive: true });

beforeAll(async () => {
  await ensureBuilt();
  expect((await runParley(['tools'], { cwd: made.path })).code).toBe(0);
});
afterAll(() => made[Symbol.dispose]());
beforeEach(() => {
  folder = scratchFolder();
  install(folder.path);
});
afterEach(() => folder[Symbol.dispose]());

const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);

async function doctor(...args: string[]): Promise<(name: string) => Check> {
  const { stdout } = await runParley(['doctor', '--json', ...args], { cwd: folder.path });
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return (name) => checks.find((check) => check.name === name || check.name.startsWith(`${name} (`))!;
}

/** The JSON in an advice. */
const jsonOf = ({ fix = '' }: Check) => fix.slice(fix.indexOf('{'));

test('a project without the plugin is told to add it, one with it to start its dev server', async () => {
  write('vite.config.ts', 'export default {}');
  expect((await doctor('--port', '0'))('page').fix).toMatch(
    /^Add parley\(\) .* to the plugins in vite\.config\.ts/,
  );
  write('vite.config.ts', "import { parley } from '@parley/annotations/vite'");
  const of = await doctor('--port', '0');
  expect(of('page').fix).toBe('Start the dev server of this project, and open its page.');
  for (const name of ['page', 'page token', 'agent'])
    expect(of(name).fix, name).not.toContain('parley start');
});

test('a folder that is no Vite project keeps the advice for the script tag', async () => {
  const of = await doctor('--port', '0');
  expect(of('page').fix).toContain('script tag that "parley start" prints');
  expect(of('clients').found).toContain('"parley start" prints one');
});

test('the configuration for a Vite project connects without a server, from any folder', async () => {
  write('vite.config.js', '');
  const shown = jsonOf((await doctor('--port', '0'))('clients'));
  expect((await connectWith(shown, { cwd: tmpdir() })).tools).toContain('watch_annotations');
  write('.mcp.json', shown);
  expect((await doctor('--port', '0'))('Claude Code')).toMatchObject({ state: 'ok' });
});

test('an agent is sent to the folder of the project, also from elsewhere, and one on another folder is told', async () => {
  write('vite.config.ts', "import { parley } from '@parley/annotations/vite'");
  using elsewhere = scratchFolder();
  const look = async () => {
    const args = ['doctor', '--json', '--port', '0', '--project', folder.path];
    const { stdout } = await runParley(args, { cwd: elsewhere.path });
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    return (name: string) => checks.find((check) => check.name.startsWith(name))!;
  };
  const shown = jsonOf((await look())('clients'));
  expect(shown).toContain(join(folder.path, '.parley'));
  write('.mcp.json', shown);
  expect((await look())('Claude Code')).toMatchObject({ state: 'ok' });
  install(elsewhere.path);
  write('.mcp.json', shown.replaceAll(folder.path, elsewhere.path));
  const wrong = (await look())('Claude Code');
  expect(wrong).toMatchObject({ state: 'warn' });
  expect(wrong.found).toContain(`the pages of this project use ${join(folder.path, '.parley')}`);
});

test('the configuration for a running server connects once the key is filled in', async () => {
  write('.mcp.json', '{}');
  await using server = await startParley(join(folder.path, '.parley'));
  const shown = jsonOf((await doctor('--port', new URL(server.url).port))('Claude Code'));
  const { tools } = await connectWith(shown, { cwd: tmpdir(), key: server.key });
  expect(tools).toContain('watch_annotations');
});

test.each([
  ['an address of the newer kind', ['--host', '::1', '--port', '4680'], 'http://[::1]:4680/mcp'],
  ['an address that means all of them', ['--host', '0.0.0.0', '--port', '4680'], 'http://localhost:4680/mcp'],
])('%s is handed out as a URL that clients can read', async (_name, args, url) => {
  write('.mcp.json', '{}');
  const { mcpServers } = JSON.parse(jsonOf((await doctor(...args))('Claude Code'))) as {
    mcpServers: { parley: { url: string } };
  };
  expect(mcpServers.parley.url).toBe(url);
});

test('what may start another package is told, and the way that does not is shown', async () => {
  const entries = {
    plain: { command: 'npx', args: ['parley', 'mcp'] },
    agreed: { command: 'npx', args: ['-y', 'parley', 'mcp'] },
    windows: { command: 'cmd', args: ['/c', 'npx', 'parley', 'mcp'] },
    path: { command: '/usr/bin/npx', args: ['--yes', 'parley'] },
  };
  write('.mcp.json', JSON.stringify({ mcpServers: entries }));
  const of = await doctor('--port', '0');
  for (const name of Object.keys(entries)) {
    const check = of(`Claude Code (.mcp.json, ${name})`);
    expect(check, name).toMatchObject({ state: 'fail' });
    expect(check.found).toBe('starts "parley" by npx outside of the checkout, which is another program');
    expect(check.fix).not.toContain('npx');
  }
});
