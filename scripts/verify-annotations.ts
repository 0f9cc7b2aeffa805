/**
 * `npm run verify:annotations`: fails when a tool is served without complete annotations, or a management tool is not as
 * it is written down. With paths of modules it looks at the toolsets that they export instead of the server's own.
 */
import { join, resolve } from 'node:path';
import { hasAnnotations, managementFaults } from './tools/annotation-faults.ts';
import { servedTools, toolsetsIn } from './tools/served-tools.ts';

const root = join(import.meta.dirname, '..');
const modules = process.argv.slice(2).map((path) => resolve(path));
const given = modules.length === 0 ? undefined : (await Promise.all(modules.map(toolsetsIn))).flat();
const tools = await servedTools(given);

const bare = tools.filter(({ definition }) => !hasAnnotations(definition));
const faults = managementFaults(tools, root);
if (bare.length > 0) {
  console.log('Tools without annotations:');
  for (const { definition } of bare) console.log(`  - ${definition.name}`);
}
if (faults.length > 0) {
  console.log('Management tools that are not as they are written down:');
  for (const fault of faults) console.log(`  - ${fault}`);
}
if (bare.length > 0 || faults.length > 0) process.exitCode = 1;
else console.log(`✓ All ${tools.length} tools have annotations`);
