/** The runner of a program: what it gets, what it may cost, and that nothing of it is left. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { onBothBeds } from '../../../test/agent-bed.ts';
import { commandOf } from './command.ts';

const SEND = 'corvid_send_message';
const folder = mkdtempSync(join(tmpdir(), 'parley-runner-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Does what the prompt says, in JavaScript. */
const PROGRAM = `
  let prompt = '';
  process.stdin.on('data', (text) => { prompt += text; });
  process.stdin.on('end', () => new Function('require', prompt)(require));
`;
const settings = { runner: 'command', runnerCommand: JSON.stringify([process.execPath, '-e', PROGRAM]) };

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

onBothBeds(
  'the command runner',
  (bed, _replica, once) => {
    const people = async () => {
      const owner = bed().acme.owner.caller;
      const ada = await bed().agent(owner);
      const bob = await bed().agent(owner);
      const asAda = await bed().client(ada.caller);
      return {
        bob,
        ask: (message: string, wait_seconds = 30) =>
          asAda.attempt(SEND, { to_agent: bob.id, message, wait_seconds }),
      };
    };

    once(
      'it gets the prompt, an empty folder, a key of the agent, and nothing else of the server',
      async () => {
        process.env['PARLEY_SECRET_KEY'] = 'a secret of the server';
        const { bob, ask } = await people();
        bed().services.servedAt('http://127.0.0.1:1');
        const said = await ask(`
        const { readdirSync } = require('node:fs');
        const { PARLEY_KEY, ...rest } = process.env;
        require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'key'))}, PARLEY_KEY);
        console.log(JSON.stringify({ files: readdirSync('.'), cwd: process.cwd(), rest }));
      `);
        delete process.env['PARLEY_SECRET_KEY'];
        const reply = said.ok ? (said.value.reply ?? '') : said.message;
        const { files, cwd, rest } = JSON.parse(reply) as { files: string[]; cwd: string; rest: object };
        expect(files).toEqual([]);
        expect(existsSync(cwd)).toBe(false);
        expect(rest).toEqual({ PATH: process.env['PATH'], PARLEY_MCP_URL: 'http://127.0.0.1:1/mcp/agent' });
        // The run is over, and so is its key.
        const key = readFileSync(join(folder, 'key'), 'utf8');
        expect(await bed().identity.authenticate(key, 'key')).toBeUndefined();
        expect(bob.id).toBeTruthy();
      },
    );

    test('its key acts as the agent: one deeper, from an agent, in the session of the run', async () => {
      const { bob, ask } = await people();
      const file = join(folder, `pause-${bob.id}`);
      const asking = ask(`
        const fs = require('node:fs');
        fs.writeFileSync(${JSON.stringify(file)}, process.env.PARLEY_KEY);
        const timer = setInterval(() => {
          if (fs.existsSync(${JSON.stringify(`${file}.go`)})) { clearInterval(timer); console.log('done'); }
        }, 5);
      `);
      await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true);
      const caller = await bed().identity.authenticate(readFileSync(file, 'utf8'), 'key');
      expect(caller).toMatchObject({
        unattended: false,
        agent: { id: bob.id, depth: 2, source: 'agent', sessionId: expect.stringMatching(/^ses_/) },
      });
      expect(Object.keys(caller?.grants ?? {})).toEqual(['agent']);
      if (caller === undefined) return;
      const asRun = await bed().client(caller);
      // The session ends with the sender's patience, however much is asked for.
      expect(await asRun.call('corvid_extend_timeout', { minutes: 60 })).toMatchObject({
        ends_at: new Date(bed().clock.nowMs + 30_000).toISOString(),
      });
      writeFileSync(`${file}.go`, '');
      expect(await asking).toMatchObject({ ok: true, value: { reply: 'done' } });
    });

    once('what goes wrong is runner_failed, and what it writes is cut at 1 MiB', async () => {
      const { bob, ask } = await people();
      expect(await ask('process.exitCode = 3; console.log("no")')).toMatchObject({ code: 'runner_failed' });
      expect(await ask('process.stdout.end()')).toMatchObject({ code: 'runner_failed' });
      const long = `process.stdout.write('x'.repeat(3 * 1024 * 1024))`;
      const said = await ask(long);
      expect(said.ok && said.value.reply).toMatch(/^x{32762}\n\[cut\]$/);
      const { text } = await bed().services.runs.run({
        kind: 'work_task',
        agent: { id: bob.id, name: bob.name, organizationId: bed().acme.id },
        prompt: long,
        history: [],
        depth: 1,
        unattended: true,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
      });
      expect(text).toHaveLength(1024 * 1024);
    });

    once(
      'check 34: a run that exceeds the wait is cancelled, its process group is gone, the answer is timeout',
      async () => {
        const { bob, ask } = await people();
        const file = join(folder, `pids-${bob.id}`);
        const late = await ask(
          `
        const { spawn } = require('node:child_process');
        const idle = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
        const child = spawn(process.execPath, ['-e', idle], { stdio: 'inherit' });
        process.on('SIGTERM', () => {});
        require('node:fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify([process.pid, child.pid]));
        setInterval(() => {}, 1000);
      `,
          1.5,
        );
        expect(late).toMatchObject({ ok: false, code: 'timeout' });
        const pids = JSON.parse(readFileSync(file, 'utf8')) as number[];
        expect(pids).toHaveLength(2);
        await expect.poll(() => pids.filter(isAlive)).toEqual([]);
      },
    );
  },
  () => ({ parts: { settings } }),
);

test('the setting is a JSON list of texts', () => {
  expect(commandOf(undefined)).toBeUndefined();
  expect(commandOf('["claude","-p"]')).toEqual(['claude', '-p']);
  for (const bad of ['claude -p', '[]', '[""]', '["a",1]', '{"a":1}', ''])
    expect(() => commandOf(bad)).toThrow('--runner-command');
});
