/** `parley start` with the toolset of the fault tests, and with limits of tasks that let a test see a lease end. */
import { flushCompileCache } from 'node:module';
import type { Settings } from '@parley/kit';
import { defineToolset } from '@parley/kit';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { untilSignal } from '../../apps/server/src/cli/signals.ts';
import { keepServing } from '../../apps/server/src/last-resort.ts';
import { choresToolset } from './chores.ts';

const number = { kind: 'number', value: 'MS', low: 1, high: 600_000, section: 'upkeep' } as const;

const settings = {
  lease: { ...number, flag: 'task-lease', fallback: '30000', help: 'The lease of a task' },
  takeover: { ...number, flag: 'task-takeover', fallback: '5000', help: 'When lapsed leases are looked for' },
  held: { ...number, flag: 'task-held', fallback: '5000', help: 'The longest sleep that is not parked' },
} as const satisfies Settings;

const toolsets = [choresToolset, defineToolset({ name: 'limits', title: 'Limits', tools: [], settings })];
const [, ...args] = process.argv.slice(2);
const { config } = loadConfig(args, { toolsets });
const millisecondsOf = ({ flag }: { readonly flag: string }) => Number(config.settings[flag]);
const leaseMs = millisecondsOf(settings.lease);
const limits = {
  leaseMs,
  // The same part of a lease as by default.
  renewMs: leaseMs / 3,
  takeoverMs: millisecondsOf(settings.takeover),
  heldSleepMs: millisecondsOf(settings.held),
};
const signals = untilSignal();
const app = await createApp({ config, toolsets, tasks: { limits } });
keepServing((error, where) => app.onUncaught(error, where));
const { url, mcp } = await app.listen();
const notices = await app.noticesAt(url);
const ready = { url, mcp, data: config.dataDir, ownerKeyFile: app.ownerKeyFile };
// It is killed, and would leave nothing for the next one that starts.
flushCompileCache();
process.stdout.write(`${JSON.stringify(Object.assign({}, ready, ...notices.map(({ json }) => json)))}\n`);
await signals.asked;
await app.close();
process.exit();
