/** Plugins as owners load them and agents call them: hidden unless named, nothing without its grant, gone when unloaded. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { AgentBed } from '../../../test/agent-bed.ts';
import { onBothBeds } from '../../../test/agent-bed.ts';
import type { WrittenPlugin } from '../../../test/plugin-packages.ts';
import { pluginFolder } from '../../../test/plugin-packages.ts';

const folder = pluginFolder();
afterAll(() => folder.remove());
const ECHO: WrittenPlugin['tools'] = { echo: 'async ({ x }) => ({ text: `said ${x}`, data: { x } })' };
const TIMES = { callMs: 1_000, loadMs: 60_000, graceMs: 200 };
const project = join(folder.dataDir, 'project');
mkdirSync(join(project, 'src'), { recursive: true });
writeFileSync(join(project, 'src/a.txt'), 'in the project');
writeFileSync(join(folder.dataDir, 'secret.txt'), 'out of the project');
symlinkSync(join(folder.dataDir, 'secret.txt'), join(project, 'src/link.txt'));
folder.copy(join(import.meta.dirname, '../../../../../examples/plugin-clock'), 'clock');
folder.write({ name: 'echo', tools: ECHO });
folder.module('@acme/echo-module', { name: 'echo-module', tools: ECHO });

/** Calls a tool of a plugin, whose types nobody knows. */
async function calling(bed: AgentBed, as: Parameters<AgentBed['client']>[0]) {
  const client = await bed.client(as);
  return {
    client,
    attempt: (name: string, input: object = {}) => client.attempt(name as never, input as never),
  };
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

onBothBeds(
  'plugins',
  (bed, replica, once) => {
    const owner = () => bed().acme.owner.caller;
    const load = (name: string, options = {}) => bed().services.plugins.load(owner(), name, options);
    const unload = (name: string) => bed().services.plugins.unload(owner(), name);
    const agentWith = (...tools: string[]) => bed().agent(owner(), { tools });
    const asWeb = async (agentId: string) => {
      const { callers } = bed().services;
      const how = { organizationId: bed().acme.id, agentId, depth: 1, unattended: false };
      return (await callers.acting({ ...how, source: 'web', sessionSource: 'web' })) ?? expect.fail();
    };

    test('check 26: a plugin tool is hidden from a default agent, shown when named, shown for web', async () => {
      const NOW = 'corvid_plugin_clock_now';
      expect(await load('clock')).toMatchObject({ status: 'active', tools: [NOW], capabilities: [] });
      const plain = await bed().agent(owner());
      const hidden = await calling(bed(), plain.caller);
      expect(await hidden.client.toolNames()).not.toContain(NOW);
      await expect(hidden.attempt(NOW)).rejects.toThrow(/unknown tool/i);
      expect(hidden.client.records.at(-1)).toMatchObject({ outcome: 'denied', code: 'not_in_set' });
      const web = await calling(bed(), await asWeb(plain.id));
      expect(await web.client.toolNames()).toContain(NOW);
      const named = await calling(bed(), (await agentWith(NOW)).caller);
      expect(await named.client.toolNames()).toEqual([NOW]);
      const { tools } = await named.client.raw.listTools();
      expect(tools[0]).toMatchObject({
        description: expect.stringMatching(/^\[clock\] The time now/),
        annotations: { readOnlyHint: true, openWorldHint: false },
      });
      const answer = await named.attempt(NOW, { timezone: 'Europe/Berlin' });
      expect(answer).toMatchObject({ ok: true, value: { timezone: 'Europe/Berlin' } });
      const refused = async (input: object) => {
        const { code, message } = (await named.attempt(NOW, input)) as { code: string; message: string };
        return [code, message];
      };
      expect(await refused({ zone: 'UTC' })).toEqual([
        'invalid',
        'zone: is not a known field (known: timezone)',
      ]);
      expect(await refused({ timezone: 5 })).toEqual(['invalid', 'timezone: must be a string (got 5)']);
      expect(await named.attempt(NOW, { timezone: 'Nowhere' })).toMatchObject({
        ok: false,
        code: 'plugin_failed',
        message: expect.stringContaining('Invalid time zone'),
      });
      await unload('clock');
    });

    test('check 26: without its capability the call is an error that names it; a revoke holds from the next call', async () => {
      const READ = 'corvid_plugin_reader_look';
      const handler =
        'async (_input, { host, grantedCapabilities, agentId, sessionId }) => ({ text: "", data: { host: Object.keys(host), grantedCapabilities, agentId, sessionId } })';
      const capabilities = ['agent:read', 'db:read'];
      folder.write({ name: 'reader', capabilities, tools: { look: handler } });
      await load('reader');
      const ada = await agentWith(READ);
      const { attempt, client } = await calling(bed(), ada.caller);
      const { plugins, permissions } = bed().services;
      expect(await attempt(READ)).toMatchObject({
        code: 'forbidden',
        message: expect.stringMatching(/agent:read, db:read/),
      });
      const reported = async (agentId = ada.id) => {
        const report = await permissions.report(bed().acme.id, agentId, { source: 'api', unattended: false });
        const lack = await bed().identity.lackOfAgent(ada.caller, READ);
        const reason = report?.removed.find(({ name }) => name === READ)?.reason;
        return { has: report?.tools.includes(READ), reason, lack };
      };
      // It is listed all the same.
      const lacking = { has: false, reason: 'capability' };
      expect(await reported()).toMatchObject({ ...lacking, lack: expect.stringContaining('agent:read') });
      expect(await client.toolNames()).toEqual([READ]);
      expect(await reported((await bed().agent(owner())).id)).toMatchObject({ reason: 'not_in_set' });
      await plugins.grant(owner(), 'reader', 'db:read');
      expect(await attempt(READ)).toMatchObject({
        code: 'forbidden',
        message: expect.not.stringMatching(/db:read/),
      });
      await plugins.grant(owner(), 'reader', 'agent:read');
      expect(await attempt(READ)).toMatchObject({
        ok: true,
        value: {
          host: ['agents', 'db'],
          grantedCapabilities: capabilities,
          agentId: ada.id,
          sessionId: null,
        },
      });
      expect(await reported()).toEqual({ has: true, reason: undefined, lack: undefined });
      expect(await plugins.revoke(owner(), 'reader', 'db:read')).toMatchObject({
        capabilities: [
          { capability: 'agent:read', granted: true },
          { capability: 'db:read', granted: false },
        ],
      });
      expect(await attempt(READ)).toMatchObject({ code: 'forbidden' });
      expect(await reported()).toEqual({
        ...lacking,
        lack: expect.stringMatching(/not granted db:read\. An/),
      });
      await expect(plugins.grant(owner(), 'reader', 'network:outbound')).rejects.toThrow(
        /does not declare network:outbound\. It declares agent:read, db:read\.$/,
      );
      await expect(plugins.grant(bed().rival.owner.caller, 'reader', 'db:read')).rejects.toThrow(
        'Plugin not found',
      );
      await unload('reader');
      // Loaded again, nothing of it is left, unless the owner says so.
      expect((await load('reader')).capabilities.map(({ granted }) => granted)).toEqual([false, false]);
      await unload('reader');
      expect((await load('reader', { autoGrant: true })).capabilities.map(({ granted }) => granted)).toEqual([
        true,
        true,
      ]);
      await unload('reader');
    });

    test('what is granted reaches the own organization, the project and the world through the guard, and no further', async () => {
      const ASK = 'corvid_plugin_asker_ask';
      const handler =
        'async ({ x }, { host }) => { const [what, ...args] = JSON.parse(x); let at = host; for (const key of what.split(".")) at = at[key]; return { text: "", data: { value: await at(...args).catch(({ code, message }) => ({ code, message })) } }; }';
      folder.write({
        name: 'asker',
        capabilities: ['agent:read', 'db:read', 'fs:project-dir', 'network:outbound', 'session:read'],
        tools: { ask: handler },
      });
      await load('asker', { autoGrant: true });
      const ada = await agentWith(ASK);
      const foreign = await bed().agent(bed().rival.owner.caller, { name: 'Foreign' });
      const { attempt } = await calling(bed(), ada.caller);
      const ask = async (...x: unknown[]) => {
        const answer = await attempt(ASK, { x: JSON.stringify(x) });
        return answer.ok ? (answer.value as unknown as { value: unknown }).value : answer;
      };
      const missing = { code: 'not_found', message: 'There is no such file in the project.' };
      expect(await ask('project.read', 'src/a.txt')).toBe('in the project');
      expect(await ask('project.list', 'src')).toEqual([{ name: 'a.txt', type: 'file' }]);
      for (const path of ['../secret.txt', '/etc/hostname', 'src/link.txt', 'src/none.txt', 'src', 'a\0b'])
        expect(await ask('project.read', path), path).toEqual(missing);
      expect(await ask('project.list', '..')).toEqual(missing);
      expect(JSON.stringify(await ask('db.read', 'agents'))).toContain(ada.id);
      for (const view of ['agents', 'agent_projects', 'bundles', 'plugins'])
        expect(JSON.stringify(await ask('db.read', view)), view).not.toContain(foreign.id);
      expect(await ask('db.read', 'api_keys')).toMatchObject({ code: 'invalid' });
      expect(await ask('db.read', 'agents', { limit: 100_000 })).toMatchObject({ code: 'invalid' });
      expect(await ask('agents.get', ada.id)).toMatchObject({ id: ada.id, name: ada.name });
      expect(await ask('agents.get', foreign.id)).toBeNull();
      expect(await ask('session.get')).toEqual({
        id: null,
        project_id: null,
        source: 'api',
        depth: 1,
        unattended: false,
      });
      expect(await ask('fetch', 'http://169.254.169.254/latest')).toMatchObject({ code: 'blocked_address' });
      expect(await ask('fetch', 'file:///etc/hostname')).toMatchObject({
        code: expect.stringMatching(/invalid|blocked_address/),
      });
      await unload('asker');
    });

    test('check 28: a second tool of the same full name, and a second load, are refused', async () => {
      folder.write({ name: 'a', tools: { b_c: '() => "first"' } });
      folder.write({
        name: 'a-b',
        tools: { c: '() => "second"' },
        before: 'globalThis.loads = 1;',
        more: 'onLoad() { throw new Error("too far"); }',
      });
      await load('a');
      await expect(load('a-b')).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('corvid_plugin_a_b_c'),
      });
      await expect(load('a')).rejects.toMatchObject({ code: 'conflict' });
      const { attempt } = await calling(bed(), (await agentWith('corvid_plugin_a_b_c')).caller);
      expect(await attempt('corvid_plugin_a_b_c')).toMatchObject({ text: 'first' });
      expect((await bed().services.plugins.list(bed().acme.id)).all.map(({ name }) => name)).not.toContain(
        'a-b',
      );
      await unload('a');
    });

    once('three crashes in five minutes end the plugin and take its tools away', async () => {
      const DIE = 'corvid_plugin_dying_die';
      folder.write({ name: 'dying', tools: { die: '() => process.exit(3)', live: '() => "alive"' } });
      await load('dying');
      const names = () => bed().services.plugins.names(bed().acme.id);
      expect(names()).toContain(DIE);
      const { attempt } = await calling(bed(), (await agentWith(DIE, 'corvid_plugin_dying_live')).caller);
      const status = async () => {
        const { all } = await bed().services.plugins.list(bed().acme.id);
        return all.find(({ name }) => name === 'dying')?.status;
      };
      for (let crash = 1; crash <= 2; crash += 1) {
        expect(await attempt(DIE)).toMatchObject({ ok: false, code: 'plugin_failed' });
        expect(await attempt('corvid_plugin_dying_live')).toMatchObject({ text: 'alive' });
        expect(await status()).toBe('active');
        bed().clock.nowMs += 3 * 60_000;
      }
      // The first is forgotten by now.
      await attempt(DIE);
      expect(await attempt('corvid_plugin_dying_live')).toMatchObject({ text: 'alive' });
      await attempt(DIE);
      await expect.poll(status).toBe('error');
      await expect.poll(names).not.toContain(DIE);
      await expect(attempt(DIE)).rejects.toThrow(/unknown tool/i);
    });

    once(
      'a module of the data folder loads; paths, links out and what is no plugin do not',
      async () => {
        expect(await load('@acme/echo-module')).toMatchObject({
          name: 'echo-module',
          package_name: '@acme/echo-module',
        });
        await unload('echo-module');
        for (const name of [
          '../project',
          '/etc',
          '.',
          '..',
          'plugins/echo',
          'a/b/c',
          '@acme/../x',
          'Echo',
          '',
        ])
          await expect(load(name), name).rejects.toMatchObject({ code: 'invalid' });
        await expect(load('nowhere')).rejects.toMatchObject({ code: 'not_found' });
        folder.write({ name: 'linked', tools: ECHO });
        folder.link('linked', 'key', join(folder.dataDir, 'secret.txt'));
        await expect(load('linked')).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining('leads out'),
        });
        mkdirSync(join(folder.dataDir, 'plugins/empty'), { recursive: true });
        await expect(load('empty')).rejects.toMatchObject({ code: 'invalid' });
      },
      60_000,
    );

    test('what an owner loads and unloads, every replica has and has not; its process is gone too', async () => {
      const { acme } = bed();
      folder.write({
        name: 'pid',
        tools: { pid: '() => String(process.pid)' },
        more: 'onUnload() { throw new Error("untidy"); }',
      });
      await load('pid');
      const { attempt } = await calling(bed(), (await agentWith('corvid_plugin_pid_pid')).caller);
      const answer = await attempt('corvid_plugin_pid_pid');
      const pid = Number(answer.ok && answer.text);
      expect(isRunning(pid)).toBe(true);
      expect(await unload('pid')).toMatchObject({ status: 'disabled' });
      expect(isRunning(pid)).toBe(false);
      await expect(attempt('corvid_plugin_pid_pid')).rejects.toThrow(/unknown tool/i);
      // A fault of its own is logged, and nothing else.
      expect(bed().faults.splice(0).map(String)).toEqual(['Error: untidy']);
      await load('echo');
      const other = await replica();
      const names = () => other.services.plugins.names(acme.id);
      await other.services.plugins.start();
      expect(names()).toEqual(['corvid_plugin_echo_echo']);
      await unload('echo');
      await expect.poll(names).toEqual([]);
      await load('clock');
      await expect.poll(names).toEqual(['corvid_plugin_clock_now']);
      await unload('clock');
      await expect(unload('never')).rejects.toThrow('Plugin not found');
    });
  },
  () => ({
    parts: { dataDir: folder.dataDir },
    services: { pluginTimes: TIMES, projectRootOf: async () => project },
  }),
);
