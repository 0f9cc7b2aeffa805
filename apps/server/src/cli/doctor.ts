/** `parley doctor`: checks the installation, one line per check, with a fix for each problem. */
import { loadConfig } from '../config.ts';
import { checkAnnotations } from './doctor/annotations.ts';
import { checkClients } from './doctor/clients.ts';
import { checkDatabase, checkFiles, checkOwnerKey } from './doctor/database.ts';
import { checkDataFolder, checkRuntime, checkSecretKey } from './doctor/machine.ts';
import { checkPort } from './doctor/port.ts';
import type { Check } from './doctor/check.ts';
import type { Command } from './main.ts';

/** Runs every check; exit code 1 when one failed. */
export const doctor: Command = async (args, toolsets) => {
  const { config } = loadConfig(args);
  const checks: Check[] = [
    checkRuntime(process.versions.node),
    await checkDataFolder(config),
    await checkSecretKey(config),
    await checkDatabase(config, toolsets),
    ...(await checkFiles(config)),
    await checkOwnerKey(config, toolsets),
    await checkPort(config),
    ...(await checkAnnotations(config, toolsets)),
    ...(await checkClients(config, process.cwd())),
  ];
  const isHealthy = checks.every(({ state }) => state !== 'fail');
  process.stdout.write(config.json ? `${JSON.stringify({ healthy: isHealthy, checks })}\n` : report(checks));
  return isHealthy ? 0 : 1;
};

function report(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ state, name, found, fix }) => [
    `${state.padEnd(4)}  ${name.padEnd(width)}  ${found}`,
    ...(fix === undefined ? [] : [`${' '.repeat(width + 8)}fix: ${fix}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
