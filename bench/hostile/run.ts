/** `npm run bench:hostile`: attacks a fresh server for half an hour and says how it stands afterwards. */
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../test/product/build.ts';
import { scratchFolder, startParley } from '../../test/product/parley.ts';
import { attack, MORE_MB } from './attack.ts';
import { aimAt } from './target.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '200' },
    resets: { type: 'string', default: '1000' },
    unread: { type: 'string', default: '100' },
  },
});
const say = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`);

await ensureBuilt();
using folder = scratchFolder();
await using server = await startParley(folder.path, { args: ['--log-level', 'warn'] });
const target = await aimAt(server, server.child.pid ?? 0, 8);
const { isAlive, before, after, sessionsRefused, traffic } = await attack(
  target,
  {
    sessions: 100,
    resetsPerPath: Number(values.resets),
    unreadPerKind: Number(values.unread),
    changes: 200,
    perSecond: Number(values.rate),
    seconds: Number(values.minutes) * 60,
  },
  say,
);
const faults = [
  ...(isAlive ? [] : ['the server does not answer']),
  ...(sessionsRefused > 0 ? [`${sessionsRefused} sessions refused`] : []),
  ...(after.rssMb > before.rssMb + MORE_MB ? [`memory ${before.rssMb} to ${after.rssMb} MB`] : []),
  ...(after.descriptors > before.descriptors
    ? [`descriptors ${before.descriptors} to ${after.descriptors}`]
    : []),
  ...[...traffic.unexpected].map(([what, count]) => `${count} x ${what}`),
];
say(
  `${traffic.sent} requests; ${before.rssMb} to ${after.rssMb} MB; ${before.descriptors} to ${after.descriptors} descriptors`,
);
say(faults.length === 0 ? 'Held.' : `Did not hold: ${faults.join('; ')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
