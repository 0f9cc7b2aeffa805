/**
 * `npm run real-servers`: servers of other projects behind the gateway, each connected by `parley connect` and used by
 * clients of both eras. `--only WORD` tries those whose name has the word, `--write` puts the result into the docs.
 */
import { parseArgs } from 'node:util';
import { ensureRealServers, ensureTestTools } from '../../scripts/install-test-tools.ts';
import { ensureBuilt } from '../product/build.ts';
import { scratchFolder, startParley } from '../product/parley.ts';
import { SERVERS } from './servers.ts';
import { textTable, writeCompatibility } from './table.ts';
import type { Tried } from './tried.ts';
import { tryServer } from './tried.ts';

const { values: flags } = parseArgs({
  options: { only: { type: 'string', default: '' }, write: { type: 'boolean', default: false } },
});
const chosen = SERVERS.filter(({ name }) => name.includes(flags.only));
if (flags.write && chosen.length < SERVERS.length)
  throw new Error('--write records all servers; leave --only out.');

await ensureTestTools();
await ensureRealServers();
await ensureBuilt();
using folder = scratchFolder();
const results: Tried[] = [];
{
  // The example with OAuth has its provider at another port, which an operator allows.
  const args = ['--allow-egress', 'localhost', '--log-level', 'warn'];
  await using parley = await startParley(`${folder.path}/data`, { args, env: { HOME: folder.path } });
  for (const server of chosen) {
    const result = await tryServer(parley, server, folder.path);
    results.push(result);
    console.log(`${result.faults.length === 0 ? 'passed' : 'FAILED'}  ${server.name}`);
    for (const fault of result.faults) console.log(`        ${fault}`);
  }
  if (parley.stderr() !== '') console.log(`\nWhat the server logged:\n${parley.stderr()}`);
}
console.log(`\n${textTable(results)}`);
if (flags.write) await writeCompatibility(results);
process.exitCode = results.every(({ faults }) => faults.length === 0) ? 0 : 1;
