/** How programs begin and end: what may start, how many, idle ones, crashes, and that nothing is left over. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { UpstreamTarget } from '@parley/connections';
import { eventually } from '@parley/test-support/eventually';
import { describe, expect, test } from 'vitest';
import { call, requestOf, running, startLinks, targetOf } from '../../../test/programs.ts';

const ended = (pid: number) => eventually(() => expect(running(pid)).toEqual([]));

const named = (id: string, changes: Partial<UpstreamTarget> = {}) =>
  targetOf({ era: '2025' }, { id, era: 'legacy', ...changes });

describe('what may be started', () => {
  const program = (changes: object) =>
    targetOf({ era: '2025' }, { program: { command: 'true', args: [], cwd: null, env: {}, ...changes } });

  const refused: [name: string, target: UpstreamTarget, words: string][] = [
    ['a folder outside', program({ cwd: '/' }), 'working folder'],
    ['a folder that is not there', program({ cwd: '/no/such/folder' }), 'working folder'],
    ['a command that is not on the list', program({ command: 'node' }), '--allow-command'],
    ['a command that begins like one', program({ command: 'true ' }), '--allow-command'],
    ['one of the list from another place', program({ command: '/tmp/true' }), '--allow-command'],
    ['one of the list on a path of its own', program({ command: 'true', env: { PATH: '/tmp' } }), 'PATH'],
    ['one of the list in a folder of its own', program({ command: 'bin/true' }), 'has to begin with'],
    ['an option in place of a command', program({ command: '-c' }), 'name of a program'],
    ['a zero character', program({ args: ['a\0b'] }), 'zero character'],
    ['no command', targetOf({ era: '2025' }, { program: null }), 'no command'],
  ];
  for (const name of ['LD_PRELOAD', 'NODE_OPTIONS', 'PYTHONPATH', 'PERL5OPT', '_JAVA_OPTIONS', 'BASH_ENV'])
    refused.push([
      `one of the list with ${name}`,
      program({ env: { MINE: '1', [name]: 'x' } }),
      `envVars.${name}`,
    ]);

  test.each(refused)('is not %s', async (_name, target, words) => {
    const links = startLinks();
    const programs = {
      environment: {},
      folder: links.folder,
      roots: [links.folder],
      commands: ['true', 'bin/true', '-c'],
    };
    const strict = startLinks({ programs });
    const fault = { kind: 'not_allowed', wasSent: false, message: expect.stringContaining(words) as unknown };
    await expect(strict.of(target).facts()).rejects.toMatchObject(fault);
    await expect(strict.of(target).request(requestOf('echo'))).rejects.toMatchObject(fault);
    await expect(strict.of(target).watch(() => undefined)).rejects.toMatchObject(fault);
  });

  test('is nothing where nobody allowed it, but for what was stored on the machine itself', async () => {
    const { folder } = startLinks();
    const environment = { PATH: '/usr/bin:/bin' };
    const closed = startLinks({ programs: undefined });
    const local = startLinks({ programs: { environment, folder, roots: [folder], isOnlyLocal: true } });
    const here = named('conn_here');
    const target = { ...here, program: { ...here.program!, isLocal: true } };
    const fault = { kind: 'not_allowed', message: expect.stringContaining('--allow-stdio') as unknown };
    await expect(closed.of(target).facts()).rejects.toMatchObject(fault);
    await expect(local.of(here).facts()).rejects.toMatchObject(fault);
    expect(existsSync(join(folder, here.id))).toBe(false);
    expect(await call(local.of(target), 'echo', { a: 1 })).toEqual({ a: 1 });
  });

  test('gets its own variables, a few of the machine, a folder of its own, and words that no shell reads', async () => {
    const links = startLinks();
    const target = named('conn_env');
    const words = ['$HOME', '`id`', '; exit 3', '"', "'", '*'];
    const args = [...target.program!.args, ...words];
    const link = links.of({ ...target, program: { ...target.program!, args, env: { MINE: '$HOME' } } });
    expect(await call(link, 'facts')).toMatchObject({
      env: ['MINE', 'PATH'],
      args: words,
      cwd: join(links.folder, 'conn_env'),
    });
  });

  test.each([
    ['that is not there', '/no/such/program', []],
    ['that is no program', '/etc/hostname', []],
    ['that ends at once', '/bin/sh', ['-c', 'exit 3']],
  ])('a program %s is unreachable, and starts no second one', async (_name, command, args) => {
    const links = startLinks();
    const link = links.of(named('conn_none', { program: { command, args, cwd: null, env: {} } }));
    await expect(link.facts()).rejects.toMatchObject({ kind: 'unreachable', wasSent: false });
  });

  test('a program that is silent, or no MCP server, is given up after its time', async () => {
    const links = startLinks({ times: { probeMs: 50, handshakeMs: 200, quietEndMs: 50 } });
    const of = (id: string, command: string, args: string[]) =>
      links.of(named(id, { era: null, program: { command, args, cwd: null, env: {} } }));
    await expect(of('conn_silent', 'sleep', ['600']).facts()).rejects.toMatchObject({
      kind: 'timeout',
      wasSent: false,
    });
    await expect(of('conn_cat', 'cat', []).facts()).rejects.toMatchObject({ wasSent: false });
  });
});

test('what a program writes for people is kept without the secrets of its connection', async () => {
  const links = startLinks();
  const stderr = `began\u001b[1m with s3cret-one ${'x'.repeat(100_000)} and s3cret-one at the end\n`;
  const target = targetOf({ era: '2026', stderr }, { secrets: ['s3cret-one', ''] });
  await links.of(target).facts();
  await eventually(() =>
    expect(links.stderrOf(target.id).join('')).toMatch(/x and \[secret\] at the end\n$/),
  );
  const [text = ''] = links.stderrOf(target.id);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
  expect(links.stderrOf('conn_other')).toEqual([]);
});

describe('places', () => {
  test('are given to the next one by whoever has had nothing to do for the longest time', async () => {
    const links = startLinks({ mostPrograms: 2 });
    const pidOf = async (id: string) => (await call(links.of(named(id)), 'facts')).pid;
    const [a, b] = [await pidOf('conn_a'), await pidOf('conn_b')];
    await call(links.of(named('conn_a')), 'echo');
    const c = await pidOf('conn_c');
    await ended(b);
    expect([running(a).length, running(c).length]).toEqual([2, 2]); // each with its watch
    expect(await pidOf('conn_a')).toBe(a);
  });

  test('are not taken from those at work or listened to', async () => {
    const links = startLinks({ mostPrograms: 2 });
    const busy = call(links.of(named('conn_busy')), 'hang');
    const watch = await links.of(named('conn_heard')).watch(() => undefined);
    await call(links.of(named('conn_busy')), 'echo');
    await expect(links.of(named('conn_third')).facts()).rejects.toMatchObject({
      kind: 'unreachable',
      wasSent: false,
      retryAfterMs: expect.any(Number) as unknown,
    });
    await watch.close();
    expect(await call(links.of(named('conn_third')), 'echo', { now: 1 })).toEqual({ now: 1 });
    await call(links.of(named('conn_busy')), 'finish');
    expect(await busy).toBe('finished');
  });
});

describe('the end of a program', () => {
  test('comes when nobody has called or listened for a while, and the next call starts another', async () => {
    const links = startLinks({ times: { idleMs: 100 } });
    const link = links.of(named('conn_idle'));
    const working = call(link, 'hang');
    const { pid } = await call(link, 'facts');
    const watch = await link.watch(() => undefined);
    await call(link, 'finish');
    expect(await working).toBe('finished');
    expect((await call(link, 'facts')).pid).toBe(pid);
    await watch.close();
    await ended(pid);
    expect((await call(link, 'facts')).pid).not.toBe(pid);
  });

  test('check 7: takes what it started along, also when neither listens', async () => {
    const links = startLinks({ times: { quietEndMs: 50 } });
    const target = targetOf({ era: '2026', isStubborn: true });
    const { pid, child } = await call(links.of(target), 'facts');
    const hanging = call(links.of(target), 'hang').catch((error: unknown) => error);
    await call(links.of(target), 'echo');
    expect(running(pid)).toHaveLength(3); // with its watch
    await links.forget(target.id);
    expect(await hanging).toMatchObject({ kind: 'dropped' });
    await ended(pid);
    await ended(child);
  });

  test('is final for whoever began before it: nothing starts another, and no last word is heard', async () => {
    const links = startLinks({ times: { quietEndMs: 300 } });
    const program = { command: process.execPath, args: ['-e', CHATTY], cwd: null, env: {} };
    const target = named('conn_chatty', { era: 'legacy', program });
    const link = links.of(target);
    const heard: string[] = [];
    await link.watch(({ kind }) => heard.push(kind));
    await eventually(() => expect(heard.length).toBeGreaterThan(0));
    const calling = link
      .request(requestOf('never', {}, { onLists: () => heard.push('of the call') }))
      .catch((error: unknown) => error);
    await eventually(() => expect(heard).toContain('of the call'));
    const forgetting = links.forget(target.id);
    const before = heard.length;
    expect(await calling).toMatchObject({ kind: 'dropped' });
    await forgetting;
    expect(heard).toHaveLength(before);
    for (const again of [() => link.facts(), () => call(link, 'echo'), () => link.watch(() => undefined)])
      await expect(again()).rejects.toMatchObject({ kind: 'unreachable', wasSent: false });
    expect(links.stderrOf(target.id)).toEqual([]);
    // Whoever begins now looks at the connection as it is.
    expect((await links.of(target).facts()).era).toBe('legacy');
  });

  test('spares the calls that it has when only its variables change', async () => {
    const links = startLinks();
    const before = named('conn_new');
    const after = { ...before, program: { ...before.program!, env: { TOKEN: 'new' } } };
    const hanging = call(links.of(before), 'hang');
    const old = (await call(links.of({ ...before }), 'facts')).pid;
    const now = await call(links.of(after), 'facts');
    expect(now.env).toContain('TOKEN');
    expect(now.pid).not.toBe(old);
    expect(running(old)).not.toEqual([]);
    process.kill(old, 'SIGKILL');
    await expect(hanging).rejects.toMatchObject({ kind: 'dropped' });
    expect((await call(links.of(after), 'facts')).pid).toBe(now.pid);
  });

  test('of the server is theirs, and nothing starts any more', async () => {
    const links = startLinks();
    const { pid } = await call(links.of(named('conn_last')), 'facts');
    await links.close();
    await ended(pid);
    await expect(links.of(named('conn_last')).facts()).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

describe('a crash', () => {
  test.each(['2026', '2025'] as const)(
    'check 6: of a program of %s ends its calls at once, and the next one works',
    async (era) => {
      const links = startLinks();
      const link = links.of(targetOf({ era }));
      const { pid } = await call(link, 'facts');
      const calls = Promise.allSettled([call(link, 'hang'), call(link, 'hang')]);
      // Both have arrived by then; a call that finds it dead goes to another one.
      await call(link, 'echo');
      process.kill(pid, 'SIGKILL');
      const dropped = { status: 'rejected', reason: { kind: 'dropped', wasSent: true } };
      expect(await calls).toMatchObject([dropped, dropped]);
      expect(await call(link, 'echo', { again: true })).toEqual({ again: true });
      await ended(pid);
    },
  );

  test('that comes again and again is told at once, until it is time for another try', async () => {
    let now = 1_000_000;
    const links = startLinks({ now: () => now, times: { backoffMs: 1_000 } });
    const link = links.of(named('conn_crash'));
    for (let crash = 1; crash <= 5; crash += 1) {
      await expect(call(link, 'die'), `crash ${crash}`).rejects.toMatchObject({ kind: 'dropped' });
      if (crash < 5) now += 1_000 * 2 ** (crash - 1);
    }
    now += 10_000;
    await expect(call(link, 'echo')).rejects.toMatchObject({
      kind: 'unreachable',
      retryAfterMs: 6_000,
      wasSent: false,
    });
    now += 6_000;
    expect(await call(link, 'echo', { again: true })).toEqual({ again: true });
  });

  test('is not what a program does that leaves in order', async () => {
    const links = startLinks({ times: { backoffMs: 600_000, mostBackoffMs: 600_000 } });
    const link = links.of(named('conn_leaves'));
    for (let round = 1; round <= 2; round += 1) {
      const { pid } = await call(link, 'facts');
      await link.request(requestOf('leave'));
      await ended(pid);
    }
    expect(await call(link, 'echo', { here: 1 })).toEqual({ here: 1 });
  });

  test('is made of a program that hangs, once nobody else is served by it', async () => {
    const links = startLinks({ times: { signOfLifeMs: 50, quietEndMs: 50 } });
    const link = links.of(named('conn_hangs'));
    const { pid } = await call(link, 'facts');
    // Silent in one call, but alive.
    await expect(call(link, 'hang', {}, { limitMs: 50 })).rejects.toMatchObject({ kind: 'timeout' });
    expect((await call(link, 'facts')).pid).toBe(pid);
    await expect(call(link, 'block', {}, { limitMs: 50 })).rejects.toMatchObject({ kind: 'timeout' });
    await ended(pid);
    expect((await call(link, 'facts')).pid).not.toBe(pid);
  });
});

test('check 8: many starts and ends leave no process and no descriptor', async () => {
  const links = startLinks();
  const cat = { command: '/bin/sh', args: ['-c', ANSWER_ONCE], cwd: null, env: {} };
  const target = named('conn_cycles', { program: cat });
  const children = () =>
    execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes('sh -c') || line.includes('defunct'));
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const cycle = async () => {
    expect((await links.of(target).facts()).era).toBe('legacy');
    await links.forget(target.id);
  };
  await cycle();
  const before = descriptors();
  for (let round = 0; round < 60; round += 1) await cycle();
  expect(children()).toEqual([]);
  await eventually(() => expect(descriptors()).toBeLessThanOrEqual(before + 2));
});

const ANSWER_ONCE = `read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}'; cat >/dev/null`;

/** Tells of other lists all the time, the more while it is asked to end, and answers no call. */
const CHATTY = `
const out = (o) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...o }) + '\\n');
const tell = () => out({ method: 'notifications/tools/list_changed' });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') out({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} } } });
});
process.on('SIGTERM', () => {});
setInterval(tell, 5);`;
